import type { Page } from 'playwright-core';
import type { Expected, Interaction } from './interaction.ts';

/** A page that has nothing after this is broken and not slow. */
const limitMs = 20_000;
/** After the rows, a page counts and begins to listen; whoever reads it gives it at least as long. */
const quietMs = 400;

/**
 * From the last keystroke or click, as the browser stamps it, until what was asked for is painted. Measured inside of the
 * page: what drives the browser does not count, the pause of a search field while somebody types does.
 *
 * @returns milliseconds
 */
export async function timeInteraction(page: Page, url: string, interaction: Interaction): Promise<number> {
  // From elsewhere: the same address again would be a reload, which stays on the page of the list that was reached.
  await page.goto('about:blank');
  await page.goto(`${url}/admin${interaction.from}`);
  await page.evaluate(untilSettled);
  await page.waitForTimeout(quietMs);
  await interaction.prepare?.(page);
  await page.evaluate(watchFor(interaction.shows));
  await interaction.act(page);
  return Number(await page.evaluate('window.measured.tookMs'));
}

/** Until a page is there and no table waits for its rows. */
const untilSettled = `new Promise((resolve) => {
  const look = () => {
    const isSettled = document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]');
    if (isSettled) resolve(); else requestAnimationFrame(look);
  };
  look();
})`;

/**
 * Looks at every frame from the act on. What is found in one is painted with it, so the beginning of the next is when it
 * could be seen.
 */
function watchFor({ selector, rows, each, text }: Expected): string {
  const wanted = JSON.stringify({ selector, rows, each, text });
  return `(() => {
    const { selector, rows, each, text } = ${wanted};
    const isShown = () => {
      const table = document.querySelector('main table');
      if (table?.getAttribute('aria-busy') === 'true') return false;
      const shown = [...(table?.querySelectorAll('tbody [role=row]') ?? [])].map((row) => row.textContent);
      return (rows === undefined || shown.length === rows)
        && (each === undefined || (shown.length > 0 && shown.every((words) => words.includes(each))))
        && (selector === undefined || document.querySelector(selector) !== null)
        && (text === undefined || document.body.innerText.includes(text));
    };
    let actedAt = null;
    for (const kind of ['keydown', 'pointerdown', 'change'])
      addEventListener(kind, (event) => { actedAt = event.timeStamp; }, true);
    const tookMs = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error('it was not shown')), ${limitMs});
      const look = () => {
        if (actedAt === null || !isShown()) return requestAnimationFrame(look);
        requestAnimationFrame(() => resolve(performance.now() - actedAt));
      };
      requestAnimationFrame(look);
    });
    tookMs.catch(() => {});
    window.measured = { tookMs };
  })()`;
}
