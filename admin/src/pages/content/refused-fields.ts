import { ApiError } from '../../api/api-error.ts';
import type { FormFaults } from './content-form.ts';

const members = ['id', 'name', 'sizeBytes', 'manifestKey', 'metadata'] as const;

const idFault = 'Letters, digits, - and _ alone, 256 at most, and not "leases".';

/** What the server says of each field. */
export function faultsOf(error: unknown): FormFaults {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    members.flatMap((member) => {
      const message = error.about(member);
      // The server names its pattern, which helps nobody.
      return message === undefined ? [] : [[member, member === 'id' ? idFault : message]];
    }),
  );
}
