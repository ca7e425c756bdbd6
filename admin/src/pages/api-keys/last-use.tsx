import type { ApiKey } from '../../api/resources.ts';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useNow } from '../../state/now.ts';
import { isInUse } from './overlaps.ts';

export interface LastUseProps {
  apiKey: ApiKey;
  isOwn: boolean;
  /** Whether the key is about to end without an overlap. */
  endsNow: boolean;
}

/** When the old key was last used, and what that means for ending it. */
export function LastUse({ apiKey, isOwn, endsNow }: LastUseProps) {
  const now = useNow();
  const isRisky = endsNow && !isOwn && isInUse(apiKey.lastUsedAt, now);
  return (
    <Notice kind={isRisky ? 'warning' : 'info'} role="status">
      {apiKey.lastUsedAt ? (
        <>
          The old key was last used <RelativeTime at={apiKey.lastUsedAt} isFocusable />.{' '}
        </>
      ) : (
        'The old key was never used. '
      )}
      {isRisky && 'Whoever uses it is cut off at once. '}
      {isOwn && 'You are signed in with it; this page goes on with the new one.'}
    </Notice>
  );
}
