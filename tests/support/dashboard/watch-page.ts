import type { Page } from 'playwright-core';

/** Chromium's message for every answer with status 400 or above. The tests check how the page handles these answers. */
const refusedCall = /^Failed to load resource:/;
/** How an error ends that no script of the page threw, such as a file that is missing or an answer that was cut off. */
const reportOfFirefox = '\nundefined';
/** The machine got or lost a network interface, as when a container starts: no server had a part in it. */
const networkChanged = 'net::ERR_NETWORK_CHANGED';

/**
 * Collects what must not happen on any page: errors in the console and in scripts, reports of the content security policy,
 * requests to other servers, and missing files.
 *
 * @param url of the server; with the path below which a proxy serves it, which no request may leave
 * @param broken files whose failure the test itself causes
 * @returns a list that grows
 */
export async function watchPage(page: Page, url: string, broken?: RegExp): Promise<string[]> {
  const complaints: string[] = [];
  const { origin, pathname } = new URL(url);
  const server = `${origin}${pathname.replace(/\/$/, '')}`;
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (broken?.test(message.location().url) || message.text().includes(networkChanged)) return;
    if (refusedCall.test(message.text()) && !message.location().url.startsWith(`${server}/admin`)) return;
    complaints.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', ({ stack, message }) => {
    if (!stack?.endsWith(reportOfFirefox)) complaints.push(`script error: ${stack ?? message}`);
  });
  page.on('request', (request) => {
    const requested = new URL(request.url());
    if (['data:', 'blob:'].includes(requested.protocol) || request.url().startsWith(`${server}/`)) return;
    complaints.push(`external request: ${request.url()}`);
  });
  // The console does not report every violation.
  await page.exposeFunction('reportPolicyViolation', (text: string) => complaints.push(`policy: ${text}`));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    // In Firefox, Playwright itself adds styles, from evaluated scripts.
    if (event.sourceFile.endsWith('eval')) return;
    window.reportPolicyViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile);
  })`);
  return complaints;
}
