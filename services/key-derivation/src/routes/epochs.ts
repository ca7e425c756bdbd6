import { maxEpoch } from '@latchkey/shared/contracts';
import { validationFailure } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';

/** An epoch in a path. A number of 32 bits at most is checked by the handler. */
export const EpochSchema = Type.String({
  pattern: '^(0|[1-9][0-9]{0,9})$',
  description: '0 to 4294967295, without leading zeros.',
});

/**
 * @param most how many epochs may be named
 * @param otherwise what is meant where they are left out
 */
export function EpochsSchema(most: number, otherwise: string) {
  return Type.String({
    pattern: '^(0|[1-9][0-9]{0,9})(-(0|[1-9][0-9]{0,9}))?$',
    description: `The epochs, such as 0-9 or 7, at most ${most}. Optional. Default: ${otherwise}.`,
  });
}

/** @param text fits `EpochsSchema`. @throws AppError VALIDATION_FAILED */
export function readEpochs(text: string, most: number): number[] {
  const [first = 0, last = first] = text.split('-').map(Number);
  if (last > maxEpoch) throw validationFailure('/epochs', `must be at most ${maxEpoch}`);
  if (last < first) throw validationFailure('/epochs', 'must have the lower epoch first');
  if (last - first >= most) throw validationFailure('/epochs', `must be at most ${most} epochs`);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
