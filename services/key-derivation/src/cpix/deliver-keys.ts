import {
  constants,
  createCipheriv,
  createHmac,
  type KeyObject,
  publicEncrypt,
  X509Certificate,
} from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import {
  addElement,
  childrenNamed,
  descendantsAt,
  type ElementName,
  removeChildren,
  textOf,
} from './elements.ts';
import type { AskedKey } from './read-keys.ts';
import { refuseCpix } from './refusal.ts';

/** The algorithms that CPIX 2.3 section 6.1.4 demands of every implementation. */
const algorithms = {
  documentKey: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
  transport: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  mac: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha512',
} as const;
const documentKeyBytes = 32;
const ivBytes = 16;
/** As long as the output of SHA-512 (RFC 2104 section 3). */
const macKeyBytes = 64;
/** SPEKE demands RSA of 2048 bits. The larger bound keeps an encryption below a millisecond. */
const rsaBits = { least: 2_048, most: 8_192 };
/** One for each origin server that gets the document. Each costs two encryptions with RSA. */
const mostRecipients = 16;

type RandomBytes = (size: number) => Buffer;

/** Writes content keys into the document. */
export interface KeyDelivery {
  /** @param contentKey 16 bytes */
  write(key: AskedKey, contentKey: Buffer): void;
}

/**
 * How the document wants its keys: in the clear, or encrypted for the certificates of its `DeliveryDataList`.
 *
 * @throws AppError CPIX_REFUSED where a certificate cannot be used. Then no key is delivered at all
 */
export function openDelivery(root: Element, randomBytes: RandomBytes): KeyDelivery {
  const lists = childrenNamed(root, 'cpix:DeliveryDataList');
  if (lists.length === 0) return { write: (key, contentKey) => writePlain(key, contentKey) };
  const recipients = lists.flatMap((list) => childrenNamed(list, 'cpix:DeliveryData'));
  // A packager that sends the list wants no key in the clear.
  if (recipients.length === 0) throw refuseCpix('Missing DeliveryData');
  if (recipients.length > mostRecipients)
    throw refuseCpix(`More than ${mostRecipients} DeliveryData elements`);
  const publicKeys = recipients.map((element) => ({ element, publicKey: readPublicKey(element) }));
  const documentKey = randomBytes(documentKeyBytes);
  const macKey = randomBytes(macKeyBytes);
  for (const { element, publicKey } of publicKeys) addDeliveryKeys(element, publicKey, documentKey, macKey);
  return {
    write: (key, contentKey) => writeEncrypted(key, contentKey, { documentKey, macKey, randomBytes }),
  };
}

function readPublicKey(delivery: Element): KeyObject {
  const path: ElementName[] = ['cpix:DeliveryKey', 'ds:X509Data', 'ds:X509Certificate'];
  const [certificate] = descendantsAt(delivery, ...path);
  if (!certificate) throw refuseCpix('Missing DeliveryKey.X509Data.X509Certificate');
  const publicKey = parsePublicKey(Buffer.from(textOf(certificate), 'base64'));
  const { modulusLength = 0 } = publicKey?.asymmetricKeyDetails ?? {};
  if (publicKey?.asymmetricKeyType !== 'rsa' || modulusLength < rsaBits.least || modulusLength > rsaBits.most)
    throw refuseCpix(
      `DeliveryKey is no X.509 certificate with an RSA key of ${rsaBits.least} to ${rsaBits.most} bits`,
    );
  return publicKey;
}

function parsePublicKey(der: Buffer): KeyObject | null {
  try {
    return new X509Certificate(der).publicKey;
  } catch {
    return null;
  }
}

/** The form of AWS's examples: `MACMethod` has a `Key`, and what it encrypts is in `EncryptedValue`, as in `DocumentKey`. */
function addDeliveryKeys(delivery: Element, publicKey: KeyObject, documentKey: Buffer, macKey: Buffer): void {
  removeChildren(delivery, 'cpix:DocumentKey');
  removeChildren(delivery, 'cpix:MACMethod');
  const document = addElement(delivery, 'cpix:DocumentKey');
  document.setAttribute('Algorithm', algorithms.documentKey);
  const secret = addElement(addElement(document, 'cpix:Data'), 'pskc:Secret');
  addEncryptedValue(secret, algorithms.transport, encryptFor(publicKey, documentKey));
  const mac = addElement(delivery, 'cpix:MACMethod');
  mac.setAttribute('Algorithm', algorithms.mac);
  addEncryptedValue(addElement(mac, 'cpix:Key'), algorithms.transport, encryptFor(publicKey, macKey));
}

/** `rsa-oaep-mgf1p` is RSA-OAEP with SHA-1 and MGF1 of SHA-1 (XML Encryption 1.1 section 5.5.2). */
function encryptFor(publicKey: KeyObject, bytes: Buffer): Buffer {
  return publicEncrypt(
    { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
    bytes,
  );
}

function addEncryptedValue(parent: Element, algorithm: string, value: Buffer): void {
  const encrypted = addElement(parent, 'pskc:EncryptedValue');
  addElement(encrypted, 'enc:EncryptionMethod').setAttribute('Algorithm', algorithm);
  addElement(addElement(encrypted, 'enc:CipherData'), 'enc:CipherValue', value.toString('base64'));
}

function writePlain({ element }: AskedKey, contentKey: Buffer): void {
  addElement(addSecret(element), 'pskc:PlainValue', contentKey.toString('base64'));
}

interface DocumentKeys {
  documentKey: Buffer;
  macKey: Buffer;
  randomBytes: RandomBytes;
}

/** The IV stands before the ciphertext, and the MAC is over both (RFC 6030 sections 6.1 and 6.1.1). */
function writeEncrypted({ element }: AskedKey, contentKey: Buffer, keys: DocumentKeys): void {
  const iv = keys.randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-cbc', keys.documentKey, iv);
  const value = Buffer.concat([iv, cipher.update(contentKey), cipher.final()]);
  const secret = addSecret(element);
  addEncryptedValue(secret, algorithms.documentKey, value);
  const mac = createHmac('sha512', keys.macKey).update(value).digest('base64');
  addElement(secret, 'pskc:ValueMAC', mac);
}

function addSecret(contentKey: Element): Element {
  removeChildren(contentKey, 'cpix:Data');
  return addElement(addElement(contentKey, 'cpix:Data'), 'pskc:Secret');
}
