/**
 * The key of the next period is fetched at a random moment of this last part of the current one. Viewers of a live stream all need it at
 * the same time. A server answers a whole period's requests in this part, so its peak is 5/3 of its mean, and stays below twice the mean with
 * the chance of single seconds. A third would be three times the mean. No more than needed, since a viewer who is revoked plays on with the
 * keys that the player holds.
 */
const aheadShare = 3 / 5;

/**
 * When a key is fetched ahead.
 *
 * @param lengthSeconds of the current period
 * @param share random, from 0 to 1
 * @param leftSeconds of the period when the player could first plan this. A moment before that would be the same for many viewers: at once
 * @returns seconds before the end of the period
 */
export function leadSeconds(lengthSeconds: number, share: number, leftSeconds = lengthSeconds): number {
  return Math.min(lengthSeconds * aheadShare, leftSeconds) * share;
}
