import { isContentId } from '@latchkey/shared/contracts';
import { refusal } from './refusal.ts';
import { showUrl } from './show-url.ts';

/** @throws AppError `VALIDATION_FAILED`: `leases` is a path of the key server (`docs/reference/contract.md#conventions`) */
export function checkContentId(contentId: string): void {
  if (isContentId(contentId)) return;
  throw refusal(`--content-id "${contentId}"; accepted: 1 to 256 of A-Z a-z 0-9 _ -, and not "leases"`);
}

/**
 * Checks the base of URLs on a server.
 *
 * @param option that names it
 * @returns it without a slash at its end
 * @throws AppError `VALIDATION_FAILED`
 */
export function checkBaseUrl(text: string, option: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(text))
    return url.href.replace(/(?<!\/)\/+$/, '');
  throw refusal(
    `${option} "${showUrl(text)}"; accepted: an http or https URL without query, such as https://keys.example.com`,
  );
}
