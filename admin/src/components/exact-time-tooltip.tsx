import { useEffect, useRef } from 'react';
import styles from './exact-time-tooltip.module.css';

const gapPx = 6;
const marginPx = 8;

/** One tooltip for every time on the page: a table of a hundred rows has three hundred of them. */
export function ExactTimeTooltip() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = box.current;
    if (!tip) return;
    const show = ({ target }: Event) => {
      const time = target instanceof Element ? target.closest<HTMLElement>('time[data-exact]') : null;
      if (!time) return tip.hidePopover();
      tip.textContent = time.dataset.exact ?? '';
      tip.showPopover();
      place(tip, time.getBoundingClientRect());
    };
    const hide = () => tip.hidePopover();
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && hide();
    document.addEventListener('pointerover', show);
    document.addEventListener('focusin', show);
    document.addEventListener('scroll', hide, true);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerover', show);
      document.removeEventListener('focusin', show);
      document.removeEventListener('scroll', hide, true);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  // The text is in the <time> for screen readers already.
  return <div ref={box} popover="manual" className={styles.tip} aria-hidden="true" />;
}

/** Above the time, or below where there is no room, and never out of the window. */
function place(tip: HTMLElement, around: DOMRect): void {
  const { width, height } = tip.getBoundingClientRect();
  const above = around.top - height - gapPx;
  const left = around.left + around.width / 2 - width / 2;
  tip.style.top = `${above < marginPx ? around.bottom + gapPx : above}px`;
  tip.style.left = `${Math.max(marginPx, Math.min(left, window.innerWidth - width - marginPx))}px`;
}
