import { useEffect } from 'react';

/** `/` goes to the search field of the page, unless a text is being written or a dialog is open. */
export function useSearchShortcut(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      const isBusy = document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
      const { target } = event;
      if (isBusy || (target instanceof Element && target.closest('input, textarea, select'))) return;
      const field = document.querySelector<HTMLInputElement>('input[type="search"]');
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
