import type { Page } from 'playwright-core';
import type { Expected, Interaction } from './interaction.ts';

/** A page that shows nothing by then is broken, not slow. */
const limitMs = 20_000;
/** After its rows, a page fetches counts and opens its event stream. People read longer than this. */
const quietMs = 400;

/**
 * The time from the last keystroke or click, by the browser's timestamp, until the result is painted. It is measured inside
 * the page, so it excludes the test driver and includes the typing pause of a search field.
 *
 * @returns milliseconds
 */
export async function timeInteraction(page: Page, url: string, interaction: Interaction): Promise<number> {
  // Going to the same address again would be a reload, which keeps the page of the list.
  await page.goto('about:blank');
  await page.goto(`${url}/admin${interaction.from}`);
  await page.evaluate(untilSettled);
  await page.waitForTimeout(quietMs);
  await interaction.prepare?.(page);
  await page.evaluate(watchFor(interaction.shows));
  await interaction.act(page);
  return Number(await page.evaluate('window.measured.tookMs'));
}

/** Waits until the page is loaded and no table waits for its rows. */
const untilSettled = `new Promise((resolve) => {
  const look = () => {
    const isSettled = document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]');
    if (isSettled) resolve(); else requestAnimationFrame(look);
  };
  look();
})`;

/**
 * Looks at every frame. What is found in one is painted with it, so it can be seen when the next one begins.
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
