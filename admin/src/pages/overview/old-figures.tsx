import { UnreachableError } from '../../api/api-error.ts';
import { describeError } from '../../components/describe-error.ts';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';

/** Above figures that could not be read anew. */
export function OldFigures({ at, error }: { at: string; error: unknown }) {
  // That is said over every page.
  if (error instanceof UnreachableError) return null;
  const { title, advice } = describeError(error);
  return (
    <Notice kind="warning" title={title} role="status">
      {advice} The figures below are from <RelativeTime at={at} isFocusable />.
    </Notice>
  );
}
