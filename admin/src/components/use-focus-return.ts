import { useEffect, useId, useState } from 'react';

/** On an element inside a dialog: the id of what had the focus before it. */
export const originAttribute = 'data-focus-origin';

/**
 * Gives the focus back, once the component is gone, to what had it before. Where one dialog follows another, that is what
 * had it before the first.
 *
 * @returns the id of that element, for `originAttribute`
 */
export function useFocusReturn(): string | undefined {
  const fallbackId = useId();
  const [origin] = useState(findOrigin);
  if (origin && origin.id === '') origin.id = fallbackId;
  useEffect(
    () => () => {
      // After this dialog has let go of the focus, and the next, if there is one, has come.
      requestAnimationFrame(() => {
        if (!document.querySelector(`[${originAttribute}]`) && origin?.isConnected) origin.focus();
      });
    },
    [origin],
  );
  return origin?.id;
}

function findOrigin(): HTMLElement | null {
  const before = document.querySelector(`[${originAttribute}]`)?.getAttribute(originAttribute);
  if (before) return document.getElementById(before);
  const element = document.activeElement;
  // What is in a menu goes with the menu: then it is the button that opened it.
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  if (button) return document.getElementById(button);
  return element instanceof HTMLElement ? element : null;
}
