import type { Content } from '../../api/schema.ts';
import { ActionDialog } from '../../components/dialog.tsx';
import { countOf, describeApplied } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { useCounts } from '../leases/revoke-dialog.tsx';
import { ContentFormDialog } from './content-form-dialog.tsx';
import { useContentChanged } from './use-management.ts';

/** The form of a content, null for a new one, or the question whether to disable one. */
export type OpenDialog = { kind: 'form'; content: Content | null } | { kind: 'disable'; content: Content };

export type ShowDialog = (dialog: OpenDialog) => void;

/** Renders the open dialog. */
export function CurrentDialog({ dialog, onClose }: { dialog: OpenDialog; onClose: () => void }) {
  if (dialog.kind === 'disable') return <DisableDialog content={dialog.content} onClose={onClose} />;
  return <ContentFormDialog stored={dialog.content} onClose={onClose} />;
}

/** Disables a content after explaining the consequences. It can be enabled again, so nothing must be typed. */
function DisableDialog({ content, onClose }: { content: Content; onClose: () => void }) {
  const api = useApi();
  const changed = useContentChanged();
  const { data: [count] = [], error } = useCounts([{ contentId: content.id }]);
  const disable = useServerAction({
    mutationFn: () =>
      api.call('delete', '/api/v1/content/{id}', {
        params: { path: { id: content.id }, query: { wait: 'applied' } },
      }),
    onSuccess: (answer) => {
      changed(answer, `Content disabled${describeApplied(answer)}`);
      onClose();
    },
  });
  return (
    <ActionDialog
      title="Disable this content"
      action="Disable the content"
      act={disable}
      isHarmful
      isCancelFirst
      onClose={onClose}
    >
      <p>
        Key requests for <OutsideText text={content.name} /> answer 404 from then on, for every viewer. The
        answer comes once this holds on every server. A player can use a key that it already holds until its
        epoch ends.
      </p>
      <Notice role="status">
        {count === undefined
          ? error
            ? 'Its leases cannot be counted now.'
            : 'Counting its leases…'
          : count === 0
            ? 'No active leases for it.'
            : `${countOf(count, 'active lease')} for it: they remain, but get no keys.`}{' '}
        You can enable it again at any time, with the same keys.
      </Notice>
    </ActionDialog>
  );
}
