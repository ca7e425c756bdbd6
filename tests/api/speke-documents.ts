import type { Answer } from '@latchkey/support/black-box/answer';
import type { CallOptions, Client } from '@latchkey/support/black-box/client';
import { DOMParser, type Element } from '@xmldom/xmldom';

export const systems = {
  clearKey: '3ea8778f-7742-4bf9-b18b-e834b2acbd47',
  clearKeyOfSpeke1: '81376844-f976-481e-a84e-cc25d39b0b33',
  widevine: 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
} as const;

const cpix = 'urn:dashif:org:cpix';
const declarations = `xmlns:cpix="${cpix}" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc"`;

/** The parts of a request by SPEKE 2, in the form of AWS's examples. Each can be replaced. */
export interface SpekeParts {
  contentId: string;
  /** Attributes of the root besides the namespaces. */
  root?: string;
  kids: readonly string[];
  /** Attributes of each content key besides `kid`. */
  key?: string;
  systemId?: string;
  signaling?: string;
  /** `ContentKeyPeriodList`. */
  periods?: string;
  rules?: string;
  /** Before the content keys. */
  deliveries?: string;
  namespaces?: string;
}

const signalingFor = (kinds: readonly string[]) =>
  kinds.map((kind) => `<cpix:HLSSignalingData playlist="${kind}"></cpix:HLSSignalingData>`).join('');

export function spekeDocument(parts: SpekeParts): string {
  const { contentId, kids, key = 'commonEncryptionScheme="cbc1"', systemId = systems.clearKey } = parts;
  const { root = `contentId="${contentId}" version="2.3"`, signaling = signalingFor(['media', 'master']) } =
    parts;
  const rules = parts.rules ?? kids.map((kid, index) => ruleFor(kid, `VIDEO${index}`)).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<cpix:CPIX ${root} ${parts.namespaces ?? declarations}>
  ${parts.deliveries ?? ''}
  <cpix:ContentKeyList>
    ${kids.map((kid) => `<cpix:ContentKey kid="${kid}" ${key}></cpix:ContentKey>`).join('\n    ')}
  </cpix:ContentKeyList>
  <cpix:DRMSystemList>
    ${kids.map((kid) => `<cpix:DRMSystem kid="${kid}" systemId="${systemId}">${signaling}</cpix:DRMSystem>`).join('\n    ')}
  </cpix:DRMSystemList>
  ${parts.periods ?? ''}
  <cpix:ContentKeyUsageRuleList>${rules}</cpix:ContentKeyUsageRuleList>
</cpix:CPIX>`;
}

export function ruleFor(kid: string, intendedTrackType: string, periodId?: string): string {
  const period = periodId === undefined ? '' : `<cpix:KeyPeriodFilter periodId="${periodId}"/>`;
  return `<cpix:ContentKeyUsageRule kid="${kid}" intendedTrackType="${intendedTrackType}">${period}<cpix:VideoFilter /></cpix:ContentKeyUsageRule>`;
}

/** A request by SPEKE 1.0, in the form of AWS's example. */
export function speke1Document(
  contentId: string,
  kids: readonly string[],
  systemId: string = systems.clearKeyOfSpeke1,
): string {
  return `<cpix:CPIX id="${contentId}" ${declarations} xmlns:speke="urn:aws:amazon:com:speke">
  <cpix:ContentKeyList>
    ${kids.map((kid) => `<cpix:ContentKey kid="${kid}"></cpix:ContentKey>`).join('\n    ')}
  </cpix:ContentKeyList>
  <cpix:DRMSystemList>
    <!-- HLS AES-128 (systemId is implementation specific)-->
    ${kids
      .map(
        (kid) => `<cpix:DRMSystem kid="${kid}" systemId="${systemId}">
      <cpix:URIExtXKey></cpix:URIExtXKey>
      <speke:KeyFormat></speke:KeyFormat>
      <speke:KeyFormatVersions></speke:KeyFormatVersions>
    </cpix:DRMSystem>`,
      )
      .join('\n    ')}
  </cpix:DRMSystemList>
</cpix:CPIX>`;
}

export interface SpekeCall extends CallOptions {
  version?: string;
}

/** Sends a document by SPEKE 2. */
export function askBySpeke2(
  client: Client,
  body: string | Buffer,
  { version = '2.0', ...options }: SpekeCall,
): Promise<Answer> {
  const headers = { 'content-type': 'application/xml', 'x-speke-version': version, ...options.headers };
  return client.call('POST', '/speke/v2.0/copyProtection', { ...options, headers, body });
}

export function askBySpeke1(client: Client, body: string | Buffer, options: CallOptions): Promise<Answer> {
  const headers = { 'content-type': 'application/xml', ...options.headers };
  return client.call('POST', '/speke/v1.0/copyProtection', { ...options, headers, body });
}

/** One element of an answer, with names by namespace: another namespace finds nothing. */
export interface Found {
  text: string;
  attribute(name: string): string | null;
}

/** The elements of a name, in the order of the document. Fails where the text is not well-formed. */
export function find(xml: string, name: string, namespace = cpix): Found[] {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  return [...document.getElementsByTagNameNS(namespace, name)].map((element: Element) => ({
    text: (element.textContent ?? '').trim(),
    attribute: (attribute) => element.getAttribute(attribute),
  }));
}

/** The plain keys of an answer by key id, in hex. They join the secrets that no log may show. */
export function readKeys(client: Client, xml: string): Map<string, string> {
  const values = find(xml, 'PlainValue', 'urn:ietf:params:xml:ns:keyprov:pskc');
  const keys = find(xml, 'ContentKey').map((key, index) => {
    const hex = Buffer.from(values[index]?.text ?? '', 'base64').toString('hex');
    client.credentials.add(hex);
    return [key.attribute('kid') ?? '', hex] as const;
  });
  return new Map(keys);
}

export const decode = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
