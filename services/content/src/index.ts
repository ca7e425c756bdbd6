import { addGuard, addRefusalAudit, type RouteOptions, type Routes } from '@latchkey/shared/http';
import { addChangeContentRoute } from './routes/change-content.ts';
import { addDisableContentRoute } from './routes/disable-content.ts';
import { addGetContentRoute } from './routes/get-content.ts';
import { addListContentsRoute } from './routes/list-contents.ts';
import { addPresignRoute } from './routes/presign.ts';
import { addRegisterContentRoute } from './routes/register-content.ts';
import type { UploadStore } from './upload-store.ts';

export { contentServiceVariables } from './config.ts';
export { createContentReader } from './content-reader.ts';
export { createKeyVersionRegistry, knownKeyVersions } from './key-version-store.ts';
export { addContentInternalRoutes } from './routes/internal-routes.ts';
export { readUploadStore } from './upload-store.ts';

export interface ContentRouteOptions extends RouteOptions {
  /** `PUBLIC_URL`: the base of the key endpoint that answers name; null for a path alone. */
  publicUrl: string | null;
  /** Where uploads go; null where presign is off, and `POST /presign` is then not there. */
  uploadStore: UploadStore | null;
}

/** The content service: the registry of contents, its management, and uploads to their folders. */
export function contentRoutes(options: ContentRouteOptions): Routes {
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, options.guard);
      addRefusalAudit(scope, options.refusals);
      addRegisterContentRoute(scope, options);
      addListContentsRoute(scope, options);
      addGetContentRoute(scope, options);
      addChangeContentRoute(scope, options);
      addDisableContentRoute(scope, options);
      if (options.uploadStore) {
        const { createUploadSigner } = await import('./upload-signer.ts');
        addPresignRoute(scope, { ...options, signUpload: createUploadSigner(options.uploadStore) });
      }
    });
  };
}
