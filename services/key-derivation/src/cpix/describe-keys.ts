import { keyIdOf, writeUuid } from '@latchkey/shared/derivation';
import { clearKeyAes128, lineFor, schemeOfAes128 } from './aes128.ts';
import { namespaces } from './namespaces.ts';

/** A key for the document. */
export interface DescribedKey {
  /** Undefined for the key without an epoch. */
  epoch: number | undefined;
  contentKey: Buffer;
  /** Where players fetch it. */
  url: string;
}

/**
 * A CPIX 2.3 document with keys of one content, for packagers that read one before they begin. Each epoch is a key period, and each key is
 * for all tracks. It is made of texts that need no escape: an id of a content, numbers, UUIDs and base64.
 *
 * @returns XML
 */
export function describeKeys(contentId: string, keys: readonly DescribedKey[]): string {
  const named = keys.map((key) => ({ ...key, kid: writeUuid(keyIdOf(contentId, key.epoch)) }));
  const periods = named.flatMap(({ epoch }) =>
    epoch === undefined ? [] : [`<cpix:ContentKeyPeriod id="${periodIdOf(epoch)}" index="${epoch}"/>`],
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<cpix:CPIX contentId="${contentId}" version="2.3" xmlns:cpix="${namespaces.cpix}" xmlns:pskc="${namespaces.pskc}">`,
    ...listOf('ContentKeyList', named.map(contentKeyElement)),
    ...listOf('DRMSystemList', named.map(systemElement)),
    ...(periods.length > 0 ? listOf('ContentKeyPeriodList', periods) : []),
    ...listOf('ContentKeyUsageRuleList', named.map(ruleElement)),
    '</cpix:CPIX>\n',
  ].join('\n');
}

interface NamedKey extends DescribedKey {
  kid: string;
}

const periodIdOf = (epoch: number) => `epoch-${epoch}`;

function listOf(name: string, elements: readonly string[]): string[] {
  return [`  <cpix:${name}>`, ...elements.map((element) => `    ${element}`), `  </cpix:${name}>`];
}

function contentKeyElement({ kid, contentKey }: NamedKey): string {
  const secret = `<pskc:Secret><pskc:PlainValue>${contentKey.toString('base64')}</pskc:PlainValue></pskc:Secret>`;
  return `<cpix:ContentKey kid="${kid}" commonEncryptionScheme="${schemeOfAes128}"><cpix:Data>${secret}</cpix:Data></cpix:ContentKey>`;
}

function systemElement({ kid, url }: NamedKey): string {
  const lines = (['media', 'master'] as const).map((playlist) => {
    const line = Buffer.from(lineFor(playlist, url)).toString('base64');
    return `<cpix:HLSSignalingData playlist="${playlist}">${line}</cpix:HLSSignalingData>`;
  });
  return `<cpix:DRMSystem kid="${kid}" systemId="${clearKeyAes128}">${lines.join('')}</cpix:DRMSystem>`;
}

function ruleElement({ kid, epoch }: NamedKey): string {
  const period = epoch === undefined ? '' : `<cpix:KeyPeriodFilter periodId="${periodIdOf(epoch)}"/>`;
  return `<cpix:ContentKeyUsageRule kid="${kid}" intendedTrackType="ALL">${period}<cpix:VideoFilter/><cpix:AudioFilter/></cpix:ContentKeyUsageRule>`;
}
