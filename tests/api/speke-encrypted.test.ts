import { execFileSync } from 'node:child_process';
import { constants, createDecipheriv, createHmac, privateDecrypt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { openShared } from '@latchkey/support/black-box/target';
import { afterAll, expect, it } from 'vitest';
import { askBySpeke2, find, spekeDocument } from './speke-documents.ts';

const target = await openShared('every-route');
const { client, adminApiKey: admin } = target;
const { raw: as } = await createApiKey(target, 'packager');

const enc = 'http://www.w3.org/2001/04/xmlenc#';
const pskc = 'urn:ietf:params:xml:ns:keyprov:pskc';

/** An origin server: its certificate and its private key. */
interface Recipient {
  certificate: string;
  privateKey: string;
}

function makeRecipient(algorithm: readonly string[] = ['-newkey', 'rsa:2048']): Recipient {
  const folder = makeFolder();
  afterAll(() => folder.remove());
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => join(folder.path, name)) as [
    string,
    string,
  ];
  const files = ['-keyout', key, '-out', certificate];
  const options = ['-x509', ...algorithm, '-nodes', '-days', '2', '-subj', '/CN=origin', ...files];
  execFileSync('openssl', ['req', ...options], { stdio: 'ignore' });
  return {
    certificate: readFileSync(certificate, 'utf8').replace(/-----[^-]*-----|\s/g, ''),
    privateKey: readFileSync(key, 'utf8'),
  };
}

/** The one of most tests. */
const recipient = makeRecipient();

const deliveriesTo = (...certificates: string[]) =>
  `<cpix:DeliveryDataList xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${certificates
    .map(
      (certificate, index) =>
        `<cpix:DeliveryData id="origin-${index}"><cpix:DeliveryKey><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></cpix:DeliveryKey></cpix:DeliveryData>`,
    )
    .join('')}</cpix:DeliveryDataList>`;

const open = ({ privateKey }: Recipient, value: string) =>
  privateDecrypt(
    { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
    Buffer.from(value, 'base64'),
  );

/** Decrypts as a recipient does: its two keys first, then each content key, whose MAC it checks. */
function readEncrypted(xml: string, recipient: Recipient, index: number, recipients: number): string[] {
  const values = find(xml, 'CipherValue', enc).map(({ text }) => text);
  const documentKey = open(recipient, values[2 * index] ?? '');
  const macKey = open(recipient, values[2 * index + 1] ?? '');
  expect([documentKey.length, macKey.length]).toEqual([32, 64]);
  const macs = find(xml, 'ValueMAC', pskc).map(({ text }) => text);
  return values.slice(2 * recipients).map((text, key) => {
    const value = Buffer.from(text, 'base64');
    expect(createHmac('sha512', macKey).update(value).digest('base64')).toBe(macs[key]);
    const decipher = createDecipheriv('aes-256-cbc', documentKey, value.subarray(0, 16));
    return Buffer.concat([decipher.update(value.subarray(16)), decipher.final()]).toString('hex');
  });
}

const keyOf = async (contentId: string, kid: string) =>
  (await client.get(`/keys/${contentId}/kid/${kid}`, admin)).bytes.toString('hex');

it('each of several certificates opens all keys, and the document has no key in the clear', async () => {
  const recipients = [recipient, makeRecipient(['-newkey', 'rsa:3072'])];
  const contentId = await registerContent(target);
  const kids = [randomUUID(), randomUUID()];
  const deliveries = deliveriesTo(...recipients.map(({ certificate }) => certificate));
  const answer = await askBySpeke2(client, spekeDocument({ contentId, kids, deliveries }), { as });
  expect(answer.status).toBe(200);
  const xml = answer.bytes.toString('utf8');
  expect(xml).not.toContain('PlainValue');
  const expected = await Promise.all(kids.map((kid) => keyOf(contentId, kid)));
  for (const [index, recipient] of recipients.entries())
    expect(readEncrypted(xml, recipient, index, recipients.length)).toEqual(expected);
  for (const hex of expected) expect(xml).not.toContain(Buffer.from(hex, 'hex').toString('base64'));
});

it('the document uses the algorithms that CPIX demands, the certificate comes back, and a second answer has another document key', async () => {
  const deliveries = deliveriesTo(recipient.certificate);
  const contentId = await registerContent(target);
  const body = spekeDocument({ contentId, kids: [randomUUID()], deliveries });
  const [xml = '', again = ''] = [
    await askBySpeke2(client, body, { as }),
    await askBySpeke2(client, body, { as }),
  ].map(({ bytes }) => bytes.toString('utf8'));
  const algorithms = (name: string, namespace?: string) =>
    find(xml, name, namespace).map(({ attribute }) => attribute('Algorithm'));
  expect(algorithms('DocumentKey')).toEqual([`${enc}aes256-cbc`]);
  expect(algorithms('MACMethod')).toEqual(['http://www.w3.org/2001/04/xmldsig-more#hmac-sha512']);
  expect(algorithms('EncryptionMethod', enc)).toEqual([
    `${enc}rsa-oaep-mgf1p`,
    `${enc}rsa-oaep-mgf1p`,
    `${enc}aes256-cbc`,
  ]);
  expect(find(xml, 'X509Certificate', 'http://www.w3.org/2000/09/xmldsig#').map(({ text }) => text)).toEqual([
    recipient.certificate,
  ]);
  expect(find(xml, 'DeliveryData').map(({ attribute }) => attribute('id'))).toEqual(['origin-0']);
  expect(again).not.toBe(xml);
  const [key = '', same] = [xml, again].flatMap((text) => readEncrypted(text, recipient, 0, 1));
  client.credentials.add(key);
  expect(same).toBe(key);
});

it('a certificate that cannot be used, or none, gets 422, and no key at all', async () => {
  const [short, curve] = [
    makeRecipient(['-newkey', 'rsa:1024']),
    makeRecipient(['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']),
  ];
  const contentId = await registerContent(target);
  const unusable = 'DeliveryKey is no X.509 certificate with an RSA key of 2048 to 8192 bits';
  const cases: [string, string][] = [
    [deliveriesTo('AAAA'), unusable],
    [deliveriesTo(''), unusable],
    [deliveriesTo(short.certificate), unusable],
    [deliveriesTo(curve.certificate), unusable],
    [deliveriesTo(recipient.certificate, 'AAAA'), unusable],
    [deliveriesTo(), 'Missing DeliveryData'],
    [
      '<cpix:DeliveryDataList><cpix:DeliveryData/></cpix:DeliveryDataList>',
      'Missing DeliveryKey.X509Data.X509Certificate',
    ],
    [deliveriesTo(...Array.from({ length: 17 }, () => 'AAAA')), 'More than 16 DeliveryData elements'],
  ];
  for (const [deliveries, detail] of cases) {
    const answer = await askBySpeke2(client, spekeDocument({ contentId, kids: [randomUUID()], deliveries }), {
      as,
    });
    expect([answer.status, answer.json?.detail]).toEqual([422, detail]);
  }
});
