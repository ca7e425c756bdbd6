import type { Element } from '@xmldom/xmldom';
import { attributeOf, childElements, childrenNamed, descendantsAt, isNamed } from './elements.ts';
import { type AskedKey, keyOf } from './read-keys.ts';
import { refuseContract, refuseCpix } from './refusal.ts';

/** The filters that SPEKE has, and one that it ignores. */
const trackFilters = ['cpix:VideoFilter', 'cpix:AudioFilter'] as const;
const otherFilters = ['cpix:KeyPeriodFilter', 'cpix:BitrateFilter'] as const;
const malformed = 'Malformed encryption contract';
/** The track type of a key for all tracks. */
const allTracks = 'ALL';

/**
 * Checks the encryption contract: which key is for which tracks. It changes nothing. The texts come from the SPEKE 2.0
 * specification, "Customizations and constraints".
 *
 * @throws AppError CPIX_REFUSED, or VALIDATION_FAILED if a key for all tracks is next to one for some of them: two keys for one track
 */
export function checkEncryptionContract(root: Element, keys: readonly AskedKey[]): void {
  const rules = descendantsAt(root, 'cpix:ContentKeyUsageRuleList', 'cpix:ContentKeyUsageRule');
  const filtersOf = (rule: Element) => trackFilters.flatMap((name) => childrenNamed(rule, name));
  if (!rules.some((rule) => filtersOf(rule).length > 0)) throw refuseCpix('Missing CPIX encryption contract');
  const periods = descendantsAt(root, 'cpix:ContentKeyPeriodList', 'cpix:ContentKeyPeriod');
  const periodIds = new Set(periods.map((period) => attributeOf(period, 'id')));
  for (const rule of rules) {
    keyOf(rule, keys);
    const filters = childElements(rule);
    const known = filters.every((filter) =>
      [...trackFilters, ...otherFilters].some((name) => isNamed(filter, name)),
    );
    const inPeriod = childrenNamed(rule, 'cpix:KeyPeriodFilter').every((filter) =>
      periodIds.has(attributeOf(filter, 'periodId')),
    );
    const isWhole = attributeOf(rule, 'intendedTrackType') !== '' && filtersOf(rule).length > 0;
    if (!known || !inPeriod || !isWhole) throw refuseCpix(malformed);
  }
  const trackTypes = new Set(rules.map((rule) => attributeOf(rule, 'intendedTrackType')));
  if (trackTypes.has(allTracks) && trackTypes.size > 1)
    throw refuseContract(
      `${malformed}: a rule for ${allTracks} tracks is next to one for another track type`,
    );
}
