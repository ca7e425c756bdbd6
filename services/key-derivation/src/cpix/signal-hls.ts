import type { Element } from '@xmldom/xmldom';
import {
  clearKeyAes128,
  clearKeyAes128OfSpeke1,
  keyFormat,
  keyFormatVersions,
  lineFor,
  type PlaylistKind,
  schemeOfAes128,
} from './aes128.ts';
import {
  addElement,
  attributeOf,
  childElements,
  childrenNamed,
  descendantsAt,
  type ElementName,
  isNamed,
} from './elements.ts';
import { type AskedKey, keyOf } from './read-keys.ts';
import { refuseCpix } from './refusal.ts';

/** Fills an element of the document with what playlists need, once the keys may be given. */
export type FillSignaling = () => void;

/** The URL at which players fetch a key. */
export type KeyUrlOf = (key: AskedKey) => string;

const base64 = (text: string) => Buffer.from(text).toString('base64');

function setText(element: Element, text: string): void {
  element.textContent = base64(text);
}

/**
 * The signaling of SPEKE 2.0 and 2.1: two lines for playlists, for each key.
 *
 * @param kinds the playlists that the version has, the first for media playlists
 * @throws AppError CPIX_REFUSED for another system or scheme than AES-128, and for signaling that AES-128 does not have
 */
export function signalBySpeke2(
  root: Element,
  keys: readonly AskedKey[],
  kinds: readonly PlaylistKind[],
  urlOf: KeyUrlOf,
): FillSignaling {
  const schemes = keys.map(({ element, kid }) => {
    const scheme = attributeOf(element, 'commonEncryptionScheme');
    if (scheme === '') throw refuseCpix(`Missing ContentKey@commonEncryptionScheme for KID ${kid}`);
    return scheme;
  });
  if (new Set(schemes).size > 1)
    throw refuseCpix('Non compliant ContentKey@commonEncryptionScheme combination');
  const systems = readSystems(root, keys);
  for (const { element } of systems) {
    const systemId = attributeOf(element, 'systemId');
    if (systemId.toLowerCase() !== clearKeyAes128 || schemes[0] !== schemeOfAes128)
      throw refuseCpix(`ContentKey@commonEncryptionScheme non compatible with DRMSystem ${systemId}`);
    checkSignaling(element, kinds);
  }
  return () => {
    for (const { element, key } of systems) fillLines(element, kinds, urlOf(key));
  };
}

interface AskedSystem {
  element: Element;
  key: AskedKey;
}

function readSystems(root: Element, keys: readonly AskedKey[]): AskedSystem[] {
  const elements = descendantsAt(root, 'cpix:DRMSystemList', 'cpix:DRMSystem');
  if (elements.length === 0) throw refuseCpix('Missing DRMSystem');
  return elements.map((element) => ({ element, key: keyOf(element, keys) }));
}

/** An encryptor stops where an element that it sent has no value, so one that this server cannot fill is refused. */
function checkSignaling(system: Element, kinds: readonly PlaylistKind[]): void {
  const seen = new Set<string>();
  for (const child of childElements(system)) {
    if (!isNamed(child, 'cpix:HLSSignalingData'))
      throw refuseCpix(`DRMSystem.${child.localName} is not supported for DRMSystem ${clearKeyAes128}`);
    const playlist = attributeOf(child, 'playlist');
    if (!kinds.some((kind) => kind === playlist) || seen.has(playlist))
      throw refuseCpix(`HLSSignalingData@playlist has to be ${kinds.join(' or ')}, each once`);
    seen.add(playlist);
  }
}

/** Both lines are needed, so one for which the document has no place is added. */
function fillLines(system: Element, kinds: readonly PlaylistKind[], url: string): void {
  const present = childrenNamed(system, 'cpix:HLSSignalingData');
  for (const element of present)
    setText(element, lineFor(attributeOf(element, 'playlist') as PlaylistKind, url));
  const has = (wanted: (kind: string) => boolean) =>
    present.some((element) => wanted(attributeOf(element, 'playlist')));
  const missing: PlaylistKind[] = [
    ...(has((kind) => kind === 'media') ? [] : (['media'] as const)),
    ...(has((kind) => kind !== 'media') ? [] : kinds.slice(1, 2)),
  ];
  for (const kind of missing) {
    const added = addElement(system, 'cpix:HLSSignalingData', base64(lineFor(kind, url)));
    added.setAttribute('playlist', kind);
  }
}

/**
 * The signaling of SPEKE 1.0: the URL of each key, its format and versions, in elements of their own.
 *
 * @throws AppError CPIX_REFUSED for another system than AES-128
 */
export function signalBySpeke1(root: Element, keys: readonly AskedKey[], urlOf: KeyUrlOf): FillSignaling {
  const systems = readSystems(root, keys);
  for (const { element } of systems) {
    const systemId = attributeOf(element, 'systemId');
    if (systemId.toLowerCase() !== clearKeyAes128OfSpeke1)
      throw refuseCpix(`Unsupported DRMSystem@systemId ${systemId}`);
  }
  return () => {
    for (const { element, key } of systems) {
      const values: [ElementName, string][] = [
        ['cpix:URIExtXKey', urlOf(key)],
        ['speke:KeyFormat', keyFormat],
        ['speke:KeyFormatVersions', keyFormatVersions],
      ];
      for (const [name, value] of values) {
        const [first, ...others] = childrenNamed(element, name);
        for (const other of others) element.removeChild(other);
        setText(first ?? addElement(element, name), value);
      }
    }
  };
}
