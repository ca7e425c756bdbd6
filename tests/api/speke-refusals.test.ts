import { randomUUID } from 'node:crypto';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { openShared } from '@latchkey/support/black-box/target';
import { describe, expect, it } from 'vitest';
import {
  askBySpeke2,
  readKeys,
  ruleFor,
  type SpekeParts,
  spekeDocument,
  systems,
} from './speke-documents.ts';

// The texts come from AWS's SPEKE 2.0 specification, "Customizations and constraints", if it has one.
const [target, withoutUrl] = await Promise.all([openShared('every-route'), openShared('plain')]);
const { client } = target;
const { raw: as } = await createApiKey(target, 'packager');
const contentId = await registerContent(target);
const kid = randomUUID();

const documentWith = (parts: Partial<SpekeParts>) => spekeDocument({ contentId, kids: [kid], ...parts });
const whole = documentWith({});

async function refusalOf(body: string | Buffer, version = '2.0', headers = {}): Promise<string> {
  const { status, code, json } = await askBySpeke2(client, body, { as, version, headers });
  return `${status} ${code}: ${json?.detail}`;
}
const refusedWith = (text: string) => `422 CPIX_REFUSED: ${text}`;

describe('422, with the text of the specification', () => {
  it.each(['', '1.0', '2', '2.2', '3.0', 'constructor'])(
    'X-Speke-Version %j is not supported',
    async (version) => {
      expect(await refusalOf('<not-even-read/>', version)).toBe(refusedWith('Unsupported SPEKE version'));
    },
  );

  const withoutSystems = whole.replace(/<cpix:DRMSystemList>.*<\/cpix:DRMSystemList>/s, '');
  const signature = '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>';
  const noCpix = 'The document is no CPIX element of the namespace urn:dashif:org:cpix';
  it.each<[text: string, body: string, version?: string]>([
    ['Missing CPIX@contentId', documentWith({ root: 'version="2.3"' })],
    ['Missing CPIX@contentId', documentWith({ root: 'contentId=" " version="2.3"' })],
    ['Missing CPIX@version', documentWith({ root: `contentId="${contentId}"` })],
    ['Unsupported CPIX@version', documentWith({ root: `contentId="${contentId}" version="2.2"` })],
    // 2.4 belongs to SPEKE 2.1.
    ['Unsupported CPIX@version', documentWith({ root: `contentId="${contentId}" version="2.4"` })],
    [`Missing ContentKey@commonEncryptionScheme for KID ${kid}`, documentWith({ key: '' })],
    [
      `ContentKey@commonEncryptionScheme non compatible with DRMSystem ${systems.clearKey}`,
      documentWith({ key: 'commonEncryptionScheme="cbcs"' }),
    ],
    [
      `ContentKey@commonEncryptionScheme non compatible with DRMSystem ${systems.widevine}`,
      documentWith({ systemId: systems.widevine }),
    ],
    ['Missing CPIX encryption contract', documentWith({ rules: '' })],
    [
      'Missing CPIX encryption contract',
      documentWith({ rules: `<cpix:ContentKeyUsageRule kid="${kid}" intendedTrackType="ALL"/>` }),
    ],
    ['Malformed encryption contract', documentWith({ rules: ruleFor(kid, '') })],
    ['Malformed encryption contract', documentWith({ rules: ruleFor(kid, 'ALL', 'no-such-period') })],
    [
      'Malformed encryption contract',
      documentWith({
        rules: ruleFor(kid, 'ALL').replace(
          '<cpix:VideoFilter />',
          '<cpix:VideoFilter /><cpix:LabelFilter label="x"/>',
        ),
      }),
    ],
    [
      'ContentKeyUsageRule@kid names no ContentKey of the document',
      documentWith({ rules: ruleFor(randomUUID(), 'ALL') }),
    ],
    ['Missing ContentKey', documentWith({ kids: [] })],
    [
      'More than 64 ContentKey elements',
      documentWith({ kids: Array.from({ length: 65 }, () => randomUUID()) }),
    ],
    [`Duplicate ContentKey@kid ${kid}`, documentWith({ kids: [kid, kid.toUpperCase()] })],
    ['Malformed ContentKey@kid, which is a UUID', documentWith({ kids: ['7'] })],
    ['Malformed ContentKey@kid, which is a UUID', documentWith({ kids: [kid.replaceAll('-', '')] })],
    [
      `Malformed ContentKey@explicitIV for KID ${kid}`,
      documentWith({ key: 'commonEncryptionScheme="cbc1" explicitIV="AAAA"' }),
    ],
    [
      'HLSSignalingData@playlist has to be media or master, each once',
      documentWith({ signaling: '<cpix:HLSSignalingData/>' }),
    ],
    [
      'HLSSignalingData@playlist has to be media or master, each once',
      documentWith({ signaling: '<cpix:HLSSignalingData playlist="multiVariant"/>' }),
    ],
    [
      'HLSSignalingData@playlist has to be media or master, each once',
      documentWith({ signaling: '<cpix:HLSSignalingData playlist="media"/>'.repeat(2) }),
    ],
    [
      `DRMSystem.PSSH is not supported for DRMSystem ${systems.clearKey}`,
      documentWith({ signaling: '<cpix:PSSH/>' }),
    ],
    [
      'Non compliant ContentKey@commonEncryptionScheme combination',
      documentWith({ kids: [kid, randomUUID()] }).replace('"cbc1"', '"cenc"'),
    ],
    // CPIX 2.3 is refused to SPEKE 2.1.
    ['Unsupported CPIX@version', whole, '2.1'],
    ['Missing DRMSystem', withoutSystems],
    [
      'DRMSystem@kid names no ContentKey of the document',
      whole.replace(`<cpix:DRMSystem kid="${kid}"`, `<cpix:DRMSystem kid="${randomUUID()}"`),
    ],
    [
      noCpix,
      documentWith({
        namespaces: 'xmlns:cpix="urn:example:not-cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc"',
      }),
    ],
    [noCpix, documentWith({ namespaces: 'xmlns:cpix="URN:DASHIF:ORG:CPIX"' })],
    // Its signature would not match the answer.
    ['CPIX.Signature is not supported', whole.replace('</cpix:CPIX>', `${signature}</cpix:CPIX>`)],
  ])('%s', async (text, body, version) => {
    expect(await refusalOf(body, version)).toBe(refusedWith(text));
  });

  it('a key that the packager brings along is refused, and an empty place for one is filled', async () => {
    const withData = (data: string) =>
      whole.replace(
        '></cpix:ContentKey>',
        `><cpix:Data><pskc:Secret>${data}</pskc:Secret></cpix:Data></cpix:ContentKey>`,
      );
    expect(await refusalOf(withData('<pskc:PlainValue>5dGAgwGuUYu4dHeHtNlxJw==</pskc:PlainValue>'))).toBe(
      refusedWith(`ContentKey.Data is not empty for KID ${kid}: this server makes the keys`),
    );
    const answer = await askBySpeke2(client, withData('<pskc:PlainValue/>'), { as });
    expect([...readKeys(client, answer.bytes.toString('utf8')).values()][0]).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.bytes.toString('utf8').match(/<pskc:PlainValue/g)).toHaveLength(1);
  });
});

describe('400 for rules that contradict each other', () => {
  const periods =
    '<cpix:ContentKeyPeriodList><cpix:ContentKeyPeriod id="a" index="1"/><cpix:ContentKeyPeriod id="b" index="2"/></cpix:ContentKeyPeriodList>';
  const kids = [randomUUID(), randomUUID(), randomUUID()];
  const rulesFor = (types: readonly string[], periodIds: readonly string[]) =>
    types.map((type, index) => ruleFor(kids[index] ?? '', type, periodIds[index])).join('');
  const refused =
    '400 VALIDATION_FAILED: Malformed encryption contract: a rule for ALL tracks is next to one for another track type';

  it.each<[string, string[], string[]]>([
    ['VIDEO', ['ALL', 'VIDEO'], []],
    ['AUDIO, which comes first', ['AUDIO', 'ALL'], []],
    ['several others', ['UHD', 'ALL', 'SD'], []],
    ['another in the same period', ['ALL', 'SD', 'ALL'], ['a', 'a', 'b']],
    ['another in another period', ['ALL', 'SD'], ['a', 'b']],
  ])('a rule for ALL tracks together with one for %s is refused', async (_, types, periodIds) => {
    const rules = rulesFor(types, periodIds);
    const xml = documentWith({
      kids: kids.slice(0, types.length),
      rules,
      ...(periodIds.length > 0 && { periods }),
    });
    expect(await refusalOf(xml)).toBe(refused);
  });

  it.each([[[]], [['a', 'b']]])(
    'several rules for ALL tracks are answered, with the periods %j',
    async (periodIds) => {
      const rules = rulesFor(['ALL', 'ALL'], periodIds);
      const xml = documentWith({ kids: kids.slice(0, 2), rules, ...(periodIds.length > 0 && { periods }) });
      const { status, bytes } = await askBySpeke2(client, xml, { as });
      expect(status).toBe(200);
      readKeys(client, bytes.toString('utf8'));
    },
  );
});

describe('400 for what is not read at all', () => {
  const noDoctype = '400 VALIDATION_FAILED: The request must not have a DOCTYPE.';
  const lol = '<!DOCTYPE lolz [<!ENTITY lol "lol">'.concat(
    ...Array.from({ length: 9 }, (_, n) => `<!ENTITY lol${n} "${`&lol${n - 1};`.repeat(10)}">`),
    ']>',
  );
  const body = whole.slice(whole.indexOf('<cpix:CPIX'));

  it.each([
    ['billion laughs', `${lol}${body.replace('>', '>&lol8;')}`],
    [
      'an external entity',
      `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${body.replace('>', '>&e;')}`,
    ],
    ['a remote DTD', `<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">${body}`],
    ['a parameter entity', `<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/">%p;]>${body}`],
    ['an empty DOCTYPE in small letters', `<!doctype x>${body}`],
  ])('%s is refused for its DOCTYPE', async (_, xml) => expect(await refusalOf(xml)).toBe(noDoctype));

  const notWellFormed = '400 VALIDATION_FAILED: The request must be well-formed XML.';
  it.each([
    ['nothing', ''],
    ['JSON', '{}'],
    ['a document that is cut', whole.slice(0, -20)],
    ['two documents', body + body],
    ['text after the document', `${whole}x`],
    ['an unknown entity', whole.replace('<cpix:DRMSystemList>', '<cpix:DRMSystemList>&unknown;')],
    ['an attribute twice', whole.replace('systemId=', `kid="${kid}" systemId=`)],
    ['an attribute without quotes', whole.replace('playlist="media"', 'playlist=media')],
    ['an unknown prefix', whole.replaceAll('cpix:VideoFilter', 'unknown:VideoFilter')],
    ['crossed tags', whole.replace('</cpix:ContentKeyList>', '</cpix:DRMSystemList>')],
  ])('%s is no XML', async (_, xml) => expect(await refusalOf(xml)).toBe(notWellFormed));

  it.each<[string, string | Buffer, string]>([
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${whole}`, 'utf16le'), 'must be UTF-8'],
    ['UTF-16 without one', Buffer.from(whole, 'utf16le'), 'must not have control characters'],
    [
      'Latin-1',
      Buffer.from(whole.replace('<cpix:DRMSystemList>', '<!-- \u00e9 --><cpix:DRMSystemList>'), 'latin1'),
      'must be UTF-8',
    ],
    ['a declaration of another encoding', whole.replace('UTF-8', 'ISO-8859-1'), 'must be UTF-8'],
    [
      'a NUL',
      whole.replace('<cpix:DRMSystemList>', '<cpix:DRMSystemList>\u0000'),
      'must not have control characters',
    ],
    [
      'a reference to a NUL',
      whole.replace('playlist="media"', 'playlist="&#0;"'),
      'must not have control characters',
    ],
    ['4,097 tags', `<cpix:CPIX>${'<a/>'.repeat(4_095)}</cpix:CPIX>`, 'must have at most 4096 tags'],
    [
      '8,193 attributes',
      `<a ${Array.from({ length: 8_193 }, (_, n) => `a${n}="1"`).join(' ')}/>`,
      'must have at most 8192 attributes',
    ],
    [
      '513 namespaces',
      `<a ${Array.from({ length: 513 }, (_, n) => `xmlns:a${n}="u"`).join(' ')}/>`,
      'must declare at most 512 namespaces',
    ],
    ['33 levels', `${'<a>'.repeat(33)}${'</a>'.repeat(33)}`, 'must be at most 32 levels deep'],
  ])('%s is refused', async (_, xml, reason) => {
    expect(await refusalOf(xml)).toBe(`400 VALIDATION_FAILED: The request ${reason}.`);
  });
});

describe('large and foreign bodies', () => {
  it('256 KiB are read, and one byte more gets 413 with the limit', async () => {
    const fill = (bytes: number) =>
      whole.replace('</cpix:CPIX>', `<!--${' '.repeat(bytes - whole.length - 7)}--></cpix:CPIX>`);
    const fits = await askBySpeke2(client, fill(262_144), { as });
    expect(fits.status).toBe(200);
    readKeys(client, fits.bytes.toString('utf8'));
    expect(await refusalOf(fill(262_145))).toBe('413 PAYLOAD_TOO_LARGE: A body may have 262144 bytes.');
  });

  it('bodies of other paths keep their limit of 64 KiB', async () => {
    const answer = await client.post('/api/v1/content', as, { name: 'x'.repeat(65_536) });
    expect([answer.status, answer.json.detail]).toEqual([413, 'A body may have 65536 bytes.']);
  });

  it.each(['application/json', 'text/plain', 'application/xhtml+xml'])(
    'a body of the type %s gets 415',
    async (type) => {
      expect(await refusalOf(whole, '2.0', { 'content-type': type })).toBe(
        '415 UNSUPPORTED_MEDIA_TYPE: Send XML with Content-Type: application/xml.',
      );
    },
  );

  it('text/xml and a charset are taken', async () => {
    const answer = await askBySpeke2(client, whole, {
      as,
      headers: { 'content-type': 'text/xml; charset=utf-8' },
    });
    expect(answer.status).toBe(200);
    readKeys(client, answer.bytes.toString('utf8'));
  });
});

it('without PUBLIC_URL no document can name the URL of a key: 409', async () => {
  const { raw } = await createApiKey(withoutUrl, 'packager');
  const answer = await askBySpeke2(withoutUrl.client, whole, { as: raw });
  expect([answer.status, answer.code]).toEqual([409, 'PUBLIC_URL_MISSING']);
});
