const mark = 'latchkey-reloaded-at';
/** Within this a second failure is no new build but a fault, and loading again would go on for ever. */
const onceMs = 60_000;

/** After an upgrade of the server the parts of an open page have other names: then the page is loaded again, once. */
export function reloadWhenReplaced(page: Window): void {
  page.addEventListener('vite:preloadError', (event) => {
    const last = Number(page.sessionStorage.getItem(mark) ?? 0);
    if (Date.now() - last < onceMs) return;
    event.preventDefault();
    page.sessionStorage.setItem(mark, String(Date.now()));
    page.location.reload();
  });
}
