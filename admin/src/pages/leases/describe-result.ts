import type { Answer } from '../../api/api.ts';
import { countOf } from '../../components/format-numbers.ts';

/** The result of a revocation in words. The server counts up to 10,000 leases before it answers. */
export function describeResult({
  revoked,
  more,
}: Pick<Answer<'post', '/keys/leases/revoke'>, 'revoked' | 'more'>): string {
  if (more && revoked === 0) return 'Leases revoked. The audit will show how many';
  if (more) return `At least ${countOf(revoked, 'lease')} revoked. The audit will show how many`;
  return revoked === 0 ? 'There was no lease left to revoke' : `${countOf(revoked, 'lease')} revoked`;
}
