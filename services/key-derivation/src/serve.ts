import { defaultPorts, viewerTokenRule } from '@latchkey/shared/config';
import { runService } from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { masterKeyRule, mountOnOwners, separateSettings } from './index.ts';

await runService(
  {
    name: 'key-derivation',
    version: packageJson.version,
    settings: separateSettings(defaultPorts.keyDerivation),
    rules: [viewerTokenRule, masterKeyRule],
    mount: (context) => mountOnOwners(context, context.values),
  },
  process,
  process.env,
);
