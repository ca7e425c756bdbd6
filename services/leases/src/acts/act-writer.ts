import { createGroupWriter, isPostgres } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import type { LeaseWriting } from '../lease-route-options.ts';
import type { ActResult, ActWriter, LeaseAct } from './lease-act.ts';
import { writeActs } from './write-acts.ts';

/** Another try is only needed if a viewer releases the lease of its device at the same instant. */
const tries = 3;

/** Writes acts on leases. The acts of simultaneous requests share one transaction. */
export function createActWriter(service: LeaseWriting): ActWriter {
  return createGroupWriter<LeaseAct, ActResult>({
    writeTogether: (acts) => service.ledger.write((entry) => writeActs(service, entry, acts, 'try')),
    // Acts of one viewer lock each other out. Different viewers of a content share its lock.
    ...(isPostgres(service.db) ? { subjectOf: (act: LeaseAct) => act.viewerId } : {}),
    async writeAlone(act) {
      for (let n = 0; n < tries; n++) {
        const [fate] = await service.ledger.write((entry) => writeActs(service, entry, [act], 'wait'));
        if (fate === undefined || typeof fate === 'string') continue;
        if ('refusal' in fate) throw fate.refusal;
        return fate.result;
      }
      throw new AppError('DEPENDENCY_UNAVAILABLE');
    },
  });
}
