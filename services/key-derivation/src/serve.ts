import { defaultPorts } from '@latchkey/shared/config';
import { runService } from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { mountOnOwners, separateSettings } from './index.ts';

await runService(
  {
    name: 'key-derivation',
    version: packageJson.version,
    settings: separateSettings(defaultPorts.keyDerivation),
    mount: (context) => mountOnOwners(context, context.values),
  },
  process,
  process.env,
);
