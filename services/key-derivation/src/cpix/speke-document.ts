import { hash } from 'node:crypto';
import type { Document, Element } from '@xmldom/xmldom';
import { checkEncryptionContract } from './check-contract.ts';
import { openDelivery } from './deliver-keys.ts';
import { attributeOf, childElements, isNamed } from './elements.ts';
import { parseXml, writeXml } from './parse-xml.ts';
import { type AskedKey, readAskedKeys } from './read-keys.ts';
import { refuseCpix } from './refusal.ts';
import { type FillSignaling, signalBySpeke1, signalBySpeke2 } from './signal-hls.ts';

/** For each version of SPEKE 2: its version of CPIX, and the playlists of its signaling. */
const versions = {
  '2.0': { cpix: '2.3', kinds: ['media', 'master'] },
  // CPIX 2.4 renames `master`. Encryptors that still write it are understood.
  '2.1': { cpix: '2.4', kinds: ['media', 'multiVariant', 'master'] },
} as const;

interface OpenOptions {
  /** The URL of a key for players. */
  keyUrl: (contentId: string, keyId: string) => string;
  randomBytes: (size: number) => Buffer;
}

/** A checked request of a packager, ready to be filled. */
export interface SpekeDocument {
  /** Of any form: that it can be no content's id is for the decision about its keys to say. */
  contentId: string;
  /** UUIDs in lower case, each once, at most 64. */
  keyIds: readonly string[];
  /**
   * The document that came, with the keys and what playlists need.
   *
   * @param contentKeys by key id
   * @returns XML
   */
  fill(contentKeys: ReadonlyMap<string, Buffer>): string;
}

/**
 * Reads a request by SPEKE 2.0 or 2.1.
 *
 * @param spekeVersion the header `X-Speke-Version`
 * @throws AppError VALIDATION_FAILED or CPIX_REFUSED
 */
export function openSpeke2(body: Buffer, spekeVersion: string, options: OpenOptions): SpekeDocument {
  const version = Object.hasOwn(versions, spekeVersion)
    ? versions[spekeVersion as keyof typeof versions]
    : null;
  // The document is not even read, as the specification has it: another version may give it another meaning.
  if (!version) throw refuseCpix('Unsupported SPEKE version');
  const document = parseXml(body);
  const root = rootOf(document);
  const contentId = attributeOf(root, 'contentId');
  if (contentId === '') throw refuseCpix('Missing CPIX@contentId');
  const cpixVersion = attributeOf(root, 'version');
  if (cpixVersion === '') throw refuseCpix('Missing CPIX@version');
  if (cpixVersion !== version.cpix) throw refuseCpix('Unsupported CPIX@version');
  const keys = readAskedKeys(root);
  const fillSignaling = signalBySpeke2(root, keys, version.kinds, ({ keyId }) =>
    options.keyUrl(contentId, keyId),
  );
  checkEncryptionContract(root, keys);
  return toSpekeDocument({ document, root, contentId, keys, fillSignaling }, options);
}

/**
 * Reads a request by SPEKE 1.0.
 *
 * @throws AppError VALIDATION_FAILED or CPIX_REFUSED
 */
export function openSpeke1(body: Buffer, options: OpenOptions): SpekeDocument {
  const document = parseXml(body);
  const root = rootOf(document);
  const contentId = attributeOf(root, 'id');
  if (contentId === '') throw refuseCpix('Missing CPIX@id');
  const keys = readAskedKeys(root);
  const fillSignaling = signalBySpeke1(root, keys, ({ keyId }) => options.keyUrl(contentId, keyId));
  return toSpekeDocument({ document, root, contentId, keys, fillSignaling }, options);
}

function rootOf(document: Document): Element {
  const root = document.documentElement;
  if (!root || !isNamed(root, 'cpix:CPIX'))
    throw refuseCpix('The document is no CPIX element of the namespace urn:dashif:org:cpix');
  // A filled document would no longer match its signature, and SPEKE has none.
  if (childElements(root).some((child) => isNamed(child, 'ds:Signature')))
    throw refuseCpix('CPIX.Signature is not supported');
  return root;
}

interface ReadRequest {
  document: Document;
  root: Element;
  contentId: string;
  keys: AskedKey[];
  fillSignaling: FillSignaling;
}

function toSpekeDocument(
  { document, root, contentId, keys, fillSignaling }: ReadRequest,
  { randomBytes }: OpenOptions,
): SpekeDocument {
  const delivery = openDelivery(root, randomBytes);
  return {
    contentId,
    keyIds: keys.map(({ keyId }) => keyId),
    fill(contentKeys) {
      for (const key of keys) {
        const contentKey = contentKeys.get(key.keyId);
        if (!contentKey) throw new Error('a key of the document was not issued');
        if (attributeOf(key.element, 'explicitIV') === '')
          key.element.setAttribute('explicitIV', ivOf(contentId, key.keyId));
        delivery.write(key, contentKey);
      }
      fillSignaling();
      return writeXml(document);
    },
  };
}

/**
 * An IV for the packager. It is no secret: playlists show it. Made of the names alone, so that the same request gets the same answer, and
 * no two keys share one.
 */
function ivOf(contentId: string, keyId: string): string {
  return hash('sha256', `latchkey explicit iv ${contentId}/kid/${keyId}`, 'buffer')
    .subarray(0, 16)
    .toString('base64');
}
