import type { RevocationTarget } from '../../api/leases.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { countOf } from '../../components/format-count.ts';
import { Notice } from '../../components/notice.tsx';
import type { CountBeforehand } from './use-count-beforehand.ts';

/** How many leases are about to end. */
export function RevocationCount({
  target,
  beforehand: { count, error },
}: {
  target: RevocationTarget;
  beforehand: CountBeforehand;
}) {
  if ('leaseId' in target) return null;
  if (error) return <ErrorNotice error={error} purpose="shown" />;
  if (count === undefined) return <Notice role="status">Counting the leases…</Notice>;
  if (count === 0)
    return (
      <Notice role="status" title="No lease is active">
        Those that can still be renewed end, and tokens issued until now are refused.
      </Notice>
    );
  return (
    <Notice kind="bad" role="status" title={`${countOf(count, 'active lease')} will end`}>
      And those that have expired but can still be renewed.
    </Notice>
  );
}
