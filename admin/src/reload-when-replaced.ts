const mark = 'latchkey-reloaded-at';
/** A second failure within this time is a fault, not a new build. Reloading again would never end. */
const onceMs = 60_000;

/** After a server upgrade the script files of an open page have other names. Reloads the page then, once. */
export function reloadWhenReplaced(page: Window): void {
  page.addEventListener('vite:preloadError', (event) => {
    const last = Number(page.sessionStorage.getItem(mark) ?? 0);
    if (Date.now() - last < onceMs) return;
    event.preventDefault();
    page.sessionStorage.setItem(mark, String(Date.now()));
    page.location.reload();
  });
}
