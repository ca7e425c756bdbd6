import { readName } from '@latchkey/shared/http';
import { type ContentFields, readManifestKey, readMetadata } from './content.ts';

/**
 * The members that a body has, in the form in which they are stored.
 *
 * @throws AppError VALIDATION_FAILED for what a schema cannot check
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
