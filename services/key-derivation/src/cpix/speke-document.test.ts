import { randomBytes } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { openSpeke1, openSpeke2, type SpekeDocument } from './speke-document.ts';

const kids = ['98ee5596-cd3e-a20d-163a-e382420c6eff', '53abdba2-f210-43cb-bc90-f18f9a890a02'];
const options = {
  keyUrl: (contentId: string, keyId: string) => `https://keys.example/keys/${contentId}/kid/${keyId}`,
  randomBytes,
};
const whole = `<?xml version="1.0" encoding="UTF-8"?>
<cpix:CPIX contentId="film" version="2.3" xmlns:cpix="urn:dashif:org:cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc">
<cpix:ContentKeyList>${kids.map((kid) => `<cpix:ContentKey kid="${kid}" commonEncryptionScheme="cbc1"/>`).join('')}</cpix:ContentKeyList>
<cpix:DRMSystemList>${kids.map((kid) => `<cpix:DRMSystem kid="${kid}" systemId="3ea8778f-7742-4bf9-b18b-e834b2acbd47"><cpix:HLSSignalingData playlist="media"/></cpix:DRMSystem>`).join('')}</cpix:DRMSystemList>
<cpix:ContentKeyPeriodList><cpix:ContentKeyPeriod id="p" index="1"/></cpix:ContentKeyPeriodList>
<cpix:ContentKeyUsageRuleList>${kids.map((kid) => `<cpix:ContentKeyUsageRule kid="${kid}" intendedTrackType="ALL"><cpix:KeyPeriodFilter periodId="p"/><cpix:VideoFilter/></cpix:ContentKeyUsageRule>`).join('')}</cpix:ContentKeyUsageRuleList>
</cpix:CPIX>`;

/** Fills with a key for each id, and reads the answer back: each key is at its id, in the namespace of PSKC. */
function fillAndCheck(document: SpekeDocument): void {
  const keys = new Map(document.keyIds.map((keyId) => [keyId, Buffer.from(keyId.slice(0, 16))]));
  const root = new DOMParser().parseFromString(document.fill(keys), 'application/xml');
  const elements = [...root.getElementsByTagNameNS('urn:dashif:org:cpix', 'ContentKey')];
  const values = elements.map((element) => {
    const plain = element.getElementsByTagNameNS('urn:ietf:params:xml:ns:keyprov:pskc', 'PlainValue');
    return [element.getAttribute('kid')?.trim().toLowerCase(), plain.item(0)?.textContent, plain.length];
  });
  const asked = values.filter(([kid]) => keys.has(String(kid)));
  for (const [keyId, key] of keys) expect(asked).toContainEqual([keyId, key.toString('base64'), 1]);
}

const pieces = [
  ...['', ' ', '\t', ...'< > " & / x : = cpix: \ud83d\ude00'.split(' ')],
  ...['xmlns:pskc="urn:x"', 'xmlns:cpix="urn:dashif:org:cpix"', 'explicitIV=""', `kid="${kids[0]}"`],
  ...['<!-- c -->', '<?x y?>', '<![CDATA[z]]>', '<x xmlns="urn:y"/>', '<pskc:Secret/>', '</cpix:CPIX>'],
  ...['<cpix:ContentKey/>', '<cpix:Data/>', '<cpix:DeliveryDataList/>'],
];
/** A change of the text: a piece is left out, put in or doubled. */
const change = fc.record({
  at: fc.nat({ max: whole.length }),
  length: fc.nat({ max: 60 }),
  put: fc.constantFrom(...pieces),
});

test('a document with any pieces changed is answered in full or refused with a reason, and nothing else is thrown', () => {
  const outcomes = { filled: 0, refused: 0 };
  const attempt = (open: () => SpekeDocument) => {
    try {
      fillAndCheck(open());
      outcomes.filled++;
    } catch (error) {
      if ((error as Error).name !== 'AppError') throw error;
      expect((error as { code: string }).code).toMatch(/^(VALIDATION_FAILED|CPIX_REFUSED)$/);
      outcomes.refused++;
    }
  };
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), (changes) => {
      let text = whole;
      for (const { at, length, put } of changes)
        text = text.slice(0, at) + put + text.slice(at + length * (put === '' ? 1 : 0));
      attempt(() => openSpeke2(Buffer.from(text), '2.0', options));
      attempt(() => openSpeke1(Buffer.from(text), options));
    }),
    { numRuns: 2_000 },
  );
  // Both kinds are well represented.
  expect(outcomes.filled).toBeGreaterThan(10);
  expect(outcomes.refused).toBeGreaterThan(10);
});

it.each([
  ['no prefix for PSKC', (text: string) => text.replace(/ xmlns:pskc="[^"]*"/, '')],
  [
    'the prefix of PSKC for something else',
    (text: string) => text.replace('urn:ietf:params:xml:ns:keyprov:pskc', 'urn:other'),
  ],
  ['another prefix for PSKC', (text: string) => text.replace('xmlns:pskc', 'xmlns:q')],
  [
    'a prefix that changes its meaning inside',
    (text: string) => text.replaceAll('<cpix:ContentKey kid', '<cpix:ContentKey xmlns:pskc="urn:other" kid'),
  ],
])('the keys of a document with %s are in the namespace of PSKC', (_, changeText) => {
  fillAndCheck(openSpeke2(Buffer.from(changeText(whole)), '2.0', options));
});

it('an IV belongs to its content and key id', () => {
  const ivOf = (text: string) => {
    const document = openSpeke2(Buffer.from(text), '2.0', options);
    const filled = document.fill(new Map(document.keyIds.map((keyId) => [keyId, Buffer.alloc(16)])));
    return [...filled.matchAll(/explicitIV="([^"]*)"/g)].map(([, iv]) => iv);
  };
  const all = [...ivOf(whole), ...ivOf(whole.replace('"film"', '"other"'))];
  expect(new Set(all).size).toBe(4);
  expect(ivOf(whole)).toEqual(ivOf(whole));
});
