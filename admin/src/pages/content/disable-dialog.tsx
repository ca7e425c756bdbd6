import { Button } from '@mantine/core';
import { disableContent } from '../../api/contents.ts';
import type { Content } from '../../api/resources.ts';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { useApi } from '../../session/app-context.ts';
import { useAct } from '../../state/use-act.ts';
import { useCountBeforehand } from '../leases/revoke-dialog.tsx';
import { useContentChanged } from './use-management.ts';

/** Takes a content off, after it was said what that means. It can be brought back, so nothing has to be typed. */
export function DisableDialog({ content, onClose }: { content: Content; onClose: () => void }) {
  const api = useApi();
  const changed = useContentChanged();
  const { count } = useCountBeforehand({ contentId: content.id });
  const disable = useAct({
    mutationFn: () => disableContent(api, content.id),
    onSuccess: (after) => {
      changed(after, 'Content disabled');
      onClose();
    },
  });
  return (
    <Dialog title="Disable this content" onClose={onClose}>
      <p>
        The keys of <bdi>{content.name}</bdi> answer 404 from then on: at once here, within a second
        everywhere, and for every viewer. A key that a player already holds plays on until its epoch ends.
      </p>
      <Notice role="status">
        {count === undefined
          ? 'Counting its leases…'
          : count === 0
            ? 'No lease for it is active.'
            : `${countOf(count, 'lease')} for it ${count === 1 ? 'is' : 'are'} active: they stay, and open nothing.`}{' '}
        You can enable it again at any time, with the same keys.
      </Notice>
      <ErrorNotice error={disable.error} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="bad" onClick={() => disable.mutate()} loading={disable.isPending} data-autofocus>
          Disable it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
