import {
  ApiKeyStateSchema,
  AskedApiKeySchema,
  ContentStateSchema,
  ImportedKeyNameSchema,
  LeaseStateSchema,
  MarkStateSchema,
  ViewerAndContentSchema,
  WrappedKeySchema,
} from '../contracts/index.ts';
import { Type } from '../schema/type.ts';

/** By lease id. */
export const leaseBatch = {
  path: '/internal/leases/batch',
  KeySchema: Type.String(),
  StateSchema: LeaseStateSchema,
};
export const markBatch = {
  path: '/internal/marks/batch',
  KeySchema: ViewerAndContentSchema,
  StateSchema: MarkStateSchema,
};
/** By content id. */
export const contentBatch = {
  path: '/internal/contents/batch',
  KeySchema: Type.String(),
  StateSchema: ContentStateSchema,
};
export const importedKeyBatch = {
  path: '/internal/imported-keys/batch',
  KeySchema: ImportedKeyNameSchema,
  StateSchema: WrappedKeySchema,
};
export const apiKeyBatch = {
  path: '/internal/api-keys/batch',
  KeySchema: AskedApiKeySchema,
  StateSchema: ApiKeyStateSchema,
};
