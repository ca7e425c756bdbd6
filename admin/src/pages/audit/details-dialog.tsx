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
  /** Shows similar records. */
  onShow: (view: AuditView) => void;
  onClose: () => void;
}

/** All details of one record. */
export function DetailsDialog({ record, onShow, onClose }: DetailsDialogProps) {
  const { id, at, actor, action, target, clientIp, requestId, outcome, code, affected, count = 1 } = record;
  const copyable = (text: string | null, what: string) =>
    text === null ? 'unknown' : <CopyableValue text={text} what={what} />;
  const facts: Fact[] = [
    ['Time', formatExact(new Date(at))],
    ['Action', `${nameOfAction(action)} (${action})`],
    [
      'Outcome',
      <Badge key="outcome" color={outcome === 'done' ? 'good' : 'bad'}>
        {outcome}
      </Badge>,
    ],
    ...(code === null ? [] : [['Error code', <code key="code">{code}</code>] as const]),
    ['Actor', nameOfActorKind(actor.kind)],
    ...(actor.id === null ? [] : [['Actor ID', copyable(actor.id, 'Actor ID')] as const]),
    ['Target', target === null ? 'none' : copyable(target, 'Target')],
    ...(typeof affected === 'number' ? [['Leases revoked', String(affected)] as const] : []),
    ...(count > 1 ? [['Count', `${formatCount(count)} times within a minute`] as const] : []),
    ['Client IP', copyable(clientIp, 'Client IP')],
    ['Request ID', copyable(requestId, 'Request ID')],
    ['Record number', id],
  ];
  return (
    <Dialog title="Audit record" onClose={onClose} width="38rem">
      <FactList facts={facts} />
      <DialogActions>
        <Button variant="default" onClick={() => onShow({ ...everything, actor: actor.id ?? actor.kind })}>
          Records of this actor
        </Button>
        {target !== null && (
          <Button variant="default" onClick={() => onShow({ ...everything, target })}>
            Records of this target
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
