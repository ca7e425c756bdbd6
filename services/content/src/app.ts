import { randomBytes } from 'node:crypto';
import type { KeyCredentials } from '@latchkey/shared/auth';
import type { ContentBatchReader, ContentReader } from '@latchkey/shared/contracts';
import { type App, addGuard, addRefusalAudit } from '@latchkey/shared/http';
import { addFeedRoutes } from '@latchkey/shared/internal';
import type { ContentServiceConfig } from './config.ts';
import { readUploadStore, type UploadStore } from './config.ts';
import { createImportedKeyReader, createImportedKeyStore } from './imported-keys.ts';
import { createKeyVersionRegistry } from './key-version-store.ts';
import type { RouteOptions, RowCore } from './own-tables.ts';
import { addImportedKeyRoutes } from './routes/imported-key-routes.ts';
import { addContentInternalRoutes } from './routes/internal-routes.ts';
import { addKeyInfoRoutes } from './routes/key-info.ts';
import { addPresignRoute } from './routes/presign.ts';
import { addGetContentRoute, addListContentsRoute } from './routes/read-contents.ts';
import {
  addChangeContentRoute,
  addDisableContentRoute,
  addRegisterContentRoute,
} from './routes/write-contents.ts';

interface ContentReaders {
  contents: ContentReader & ContentBatchReader;
}

export interface ContentRouteOptions extends RouteOptions {
  /** `PUBLIC_URL`: the base of the key endpoint in answers; null for a path alone. */
  publicUrl: string | null;
  /** `PLAYLIST_ORIGINS`: the origins that a `playlistUrl` may have. */
  playlistOrigins: readonly string[];
  /** Where uploads go; null if presign is off: then `POST /presign` does not exist. */
  uploadStore: UploadStore | null;
  contents: ContentReader;
  keyCredentials: KeyCredentials;
  randomBytes: (size: number) => Buffer;
}

/** Adds the content service to a process: its routes and those for other services. It has no jobs. */
export async function mount(
  core: RowCore<ContentServiceConfig>,
  { contents }: ContentReaders,
): Promise<void> {
  const { app, values, db, clock } = core;
  await addContentRoutes(app, {
    ...core,
    contents,
    randomBytes,
    publicUrl: values.publicUrl ?? null,
    playlistOrigins: values.playlistOrigins,
    uploadStore: readUploadStore(values),
  });
  if (!core.isSeparate) return;
  addContentInternalRoutes(app, contents, createKeyVersionRegistry({ db, clock }));
  await addImportedKeyRoutes(app, {
    ...core,
    reader: createImportedKeyReader(core),
    store: createImportedKeyStore(core),
  });
  addFeedRoutes(app, core.feed);
}

/** The registry of contents, its management, and uploads to their folders. */
export async function addContentRoutes(app: App, options: ContentRouteOptions): Promise<void> {
  await app.register(async (scope) => {
    addGuard(scope, options.guard);
    addRefusalAudit(scope, options.refusals);
    addRegisterContentRoute(scope, options);
    addListContentsRoute(scope, options);
    addGetContentRoute(scope, options);
    addChangeContentRoute(scope, options);
    addDisableContentRoute(scope, options);
    addKeyInfoRoutes(scope, options);
    if (options.uploadStore) {
      const { createUploadSigner } = await import('./upload-signer.ts');
      addPresignRoute(scope, { ...options, signUpload: createUploadSigner(options.uploadStore) });
    }
  });
}
