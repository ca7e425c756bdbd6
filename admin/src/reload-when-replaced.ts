const mark = 'latchkey-reloaded-at';
/** A second failure within this time is a fault, not a new build. Reloading again would never end. */
const onceMs = 60_000;

/**
 * After a server upgrade the script files of an open page have other names. Reloads the page then, once. A file that fails to load
 * for another reason, such as a changed network, is loaded again on the next visit of its page. A reload would sign out an admin
 * whose key is in memory only.
 */
export function reloadWhenReplaced(page: Window & typeof globalThis): void {
  page.addEventListener('vite:preloadError', async () => {
    if (!(await isReplaced(page))) return;
    const last = Number(page.sessionStorage.getItem(mark) ?? 0);
    if (Date.now() - last < onceMs) return;
    page.sessionStorage.setItem(mark, String(Date.now()));
    page.location.reload();
  });
}

/** Whether the server's page now starts with another script than this page. False if the server does not answer. */
async function isReplaced({ document, fetch }: Window & typeof globalThis): Promise<boolean> {
  const entry = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  try {
    const answer = await fetch.call(globalThis, import.meta.env.BASE_URL, { cache: 'no-store' });
    return answer.ok && entry !== null && entry !== undefined && !(await answer.text()).includes(entry);
  } catch {
    return false;
  }
}
