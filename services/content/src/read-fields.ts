import { readName } from '@latchkey/shared/http';
import { type ContentFields, readManifestKey, readMetadata } from './content.ts';

/**
 * The members of a body that are there, in the form in which they are kept.
 *
 * @throws AppError VALIDATION_FAILED for what a schema cannot say
 */
export function readFields({
  name,
  manifestKey,
  metadata,
  ...plain
}: Partial<ContentFields>): Partial<ContentFields> {
  return {
    ...plain,
    ...(name === undefined ? {} : { name: readName(name) }),
    ...(manifestKey === undefined
      ? {}
      : { manifestKey: manifestKey === null ? null : readManifestKey(manifestKey) }),
    ...(metadata === undefined ? {} : { metadata: readMetadata(metadata) }),
  };
}
