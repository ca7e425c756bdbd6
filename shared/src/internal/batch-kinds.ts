import { Type } from 'typebox';
import {
  ApiKeyStateSchema,
  AskedApiKeySchema,
  ContentStateSchema,
  LeaseStateSchema,
  ViewerAndContentSchema,
} from '../contracts/index.ts';

/** By lease id. */
export const leaseBatch = {
  path: '/internal/leases/batch',
  KeySchema: Type.String(),
  StateSchema: LeaseStateSchema,
};
export const markBatch = {
  path: '/internal/marks/batch',
  KeySchema: ViewerAndContentSchema,
  StateSchema: Type.Integer(),
};
/** By content id. */
export const contentBatch = {
  path: '/internal/contents/batch',
  KeySchema: Type.String(),
  StateSchema: ContentStateSchema,
};
export const apiKeyBatch = {
  path: '/internal/api-keys/batch',
  KeySchema: AskedApiKeySchema,
  StateSchema: ApiKeyStateSchema,
};
