import type { Element } from '@xmldom/xmldom';
import { attributeOf, childrenNamed, descendantsAt, textOf } from './elements.ts';
import { refuseCpix } from './refusal.ts';

/** `docs/reference/contract.md#packagers`: more than a packager needs for one film of many tracks, or for an hour of a live channel. */
const mostKeys = 64;
/** A KID is a UUID (CPIX 2.3 section 5.3.3.2), in any case. */
const kidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** 16 bytes in base64, as an IV of AES. */
const ivPattern = /^[A-Za-z0-9+/]{22}==$/;

/** A key that the packager asks for. */
export interface AskedKey {
  element: Element;
  /** As the document has it. */
  kid: string;
  /** In lower case, as URLs and the derivation have it. */
  keyId: string;
}

/**
 * The keys that the document asks for.
 *
 * @throws AppError CPIX_REFUSED if it asks for none, for too many or for one twice, or brings a key along
 */
export function readAskedKeys(root: Element): AskedKey[] {
  const elements = descendantsAt(root, 'cpix:ContentKeyList', 'cpix:ContentKey');
  if (elements.length === 0) throw refuseCpix('Missing ContentKey');
  if (elements.length > mostKeys) throw refuseCpix(`More than ${mostKeys} ContentKey elements`);
  const seen = new Set<string>();
  return elements.map((element) => {
    const kid = attributeOf(element, 'kid');
    if (!kidPattern.test(kid)) throw refuseCpix('Malformed ContentKey@kid, which is a UUID');
    const keyId = kid.toLowerCase();
    if (seen.has(keyId)) throw refuseCpix(`Duplicate ContentKey@kid ${keyId}`);
    seen.add(keyId);
    const iv = attributeOf(element, 'explicitIV');
    if (iv !== '' && !ivPattern.test(iv))
      throw refuseCpix(`Malformed ContentKey@explicitIV for KID ${keyId}`);
    // An empty element is a place for the key. A key that the packager brings would be replaced by another one.
    if (childrenNamed(element, 'cpix:Data').some((data) => textOf(data) !== ''))
      throw refuseCpix(`ContentKey.Data is not empty for KID ${keyId}: this server makes the keys`);
    return { element, kid, keyId };
  });
}

/** The key that an element is about. @throws AppError CPIX_REFUSED where the document asks for no such key */
export function keyOf(element: Element, keys: readonly AskedKey[]): AskedKey {
  const keyId = attributeOf(element, 'kid').toLowerCase();
  const key = keys.find((asked) => asked.keyId === keyId);
  if (!key) throw refuseCpix(`${element.localName}@kid names no ContentKey of the document`);
  return key;
}
