import { failure } from '../refusal.ts';

/** Clear Key in DASH (DASH-IF, Content Protection identifiers). */
const clearKey = 'urn:uuid:e2719d58-a985-b3c9-781a-b030af78d30e';
const dashIfNamespace = 'https://dashif.org/CPS';
/** The element of W3C's common key system, as Shaka Packager writes it for each encrypted track. */
const common =
  /^([ \t]*)<ContentProtection schemeIdUri="urn:uuid:1077efec-[^<>]*>(?:[^<]|<[^/C<]|<\/[^C<])*<\/ContentProtection>\n/gm;

/**
 * Names the licence URL for Clear Key in a DASH manifest that Shaka Packager wrote. The packager does not know this element. It takes the place
 * of the common one: dash.js 5.2 uses what stands there as if it were a list of key ids, and fails.
 *
 * @param url of licences
 */
export function addClearKey(manifest: string, url: string): string {
  let added = 0;
  const changed = manifest.replace(common, (_element, indent: string) => {
    added++;
    return (
      `${indent}<ContentProtection value="ClearKey1.0" schemeIdUri="${clearKey}">\n` +
      `${indent}  <dashif:Laurl Lic_type="EME-1.0">${escapeText(url)}</dashif:Laurl>\n${indent}</ContentProtection>\n`
    );
  });
  const named = changed.replace('<MPD ', `<MPD xmlns:dashif="${dashIfNamespace}" `);
  if (added > 0 && named !== changed) return named;
  // Players would not find a licence, and nobody would see it before.
  throw failure('The DASH manifest of this version of Shaka Packager has another form. Use version 3.4');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
