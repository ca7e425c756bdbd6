import { Badge, Button } from '@mantine/core';
import type { AuditRecord } from '../../api/audit.ts';
import { CopyableValue } from '../../components/copying.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { type Fact, FactList } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { formatExact } from '../../components/format-time.ts';
import { nameOfAction, nameOfActorKind } from './actions.ts';
import { type AuditView, everything } from './audit-filter.ts';

export interface DetailsDialogProps {
  record: AuditRecord;
  /** Shows others like it. */
  onShow: (view: AuditView) => void;
  onClose: () => void;
}

/** Everything that was recorded of one act. */
export function DetailsDialog({ record, onShow, onClose }: DetailsDialogProps) {
  const { id, at, actor, action, target, clientIp, requestId, outcome, code, affected, count = 1 } = record;
  const copyable = (text: string | null, what: string) =>
    text === null ? 'not known' : <CopyableValue text={text} what={what} />;
  const facts: Fact[] = [
    ['When', formatExact(new Date(at))],
    ['Action', `${nameOfAction(action)} (${action})`],
    [
      'Outcome',
      <Badge key="outcome" color={outcome === 'done' ? 'good' : 'bad'}>
        {outcome}
      </Badge>,
    ],
    ...(code === null ? [] : [['Refused with', <code key="code">{code}</code>] as const]),
    ['Who', nameOfActorKind(actor.kind)],
    ...(actor.id === null ? [] : [['Whose id is', copyable(actor.id, 'Id of the actor')] as const]),
    ['To what', target === null ? 'nothing that is named' : copyable(target, 'Target')],
    ...(typeof affected === 'number' ? [['Leases revoked', String(affected)] as const] : []),
    ...(count > 1 ? [['How often', `${formatCount(count)} times within a minute`] as const] : []),
    ['Client IP', copyable(clientIp, 'Client IP')],
    ['Request', copyable(requestId, 'Request id')],
    ['Number', id],
  ];
  return (
    <Dialog title="Record of the audit" onClose={onClose} width="38rem">
      <FactList facts={facts} />
      <DialogActions>
        <Button variant="default" onClick={() => onShow({ ...everything, actor: actor.id ?? actor.kind })}>
          All by this actor
        </Button>
        {target !== null && (
          <Button variant="default" onClick={() => onShow({ ...everything, target })}>
            All done to this
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
