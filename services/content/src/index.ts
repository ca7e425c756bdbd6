import { addGuard, addRefusalAudit, type Routes, type ServicePorts } from '@latchkey/shared/http';
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
export { addContentNeighbourRoutes } from './routes/tell-neighbours.ts';
export { readUploadStore, type UploadStore } from './upload-store.ts';

export interface ContentPorts extends ServicePorts {
  /** `PUBLIC_URL`: the base of the key endpoint that answers name; null for a path alone. */
  publicUrl: string | null;
  /** Where uploads go; null where presign is off, and `POST /presign` is then not there. */
  uploadStore: UploadStore | null;
}

/** The content service: the registry of contents, its management, and uploads to their folders. */
export function contentRoutes(ports: ContentPorts): Routes {
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, ports.guard);
      addRefusalAudit(scope, ports.refusals);
      addRegisterContentRoute(scope, ports);
      addListContentsRoute(scope, ports);
      addGetContentRoute(scope, ports);
      addChangeContentRoute(scope, ports);
      addDisableContentRoute(scope, ports);
      if (ports.uploadStore) {
        const { createUploadSigner } = await import('./upload-signer.ts');
        addPresignRoute(scope, { ...ports, signUpload: createUploadSigner(ports.uploadStore) });
      }
    });
  };
}
