import { describeError, type Purpose } from './describe-error.ts';
import { Notice } from './notice.tsx';

/** What an act has ended with, beside the button that began it. Nothing where there is no error. */
export function ErrorNotice({ error, purpose = 'act' }: { error: unknown; purpose?: Purpose }) {
  if (error === null || error === undefined) return null;
  const { title, advice, requestId } = describeError(error, purpose);
  return (
    <Notice kind="bad" title={title} role="alert">
      {advice}
      {requestId && (
        <>
          {' '}
          <small>
            Request <code>{requestId}</code>
          </small>
        </>
      )}
    </Notice>
  );
}
