import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { ComposeProject } from '../compose-project.ts';
import { repositoryFolder } from '../repository.ts';
import { runCommand } from '../run-command.ts';

const keygen = join(repositoryFolder, 'cli/src/main.ts');

/** A running stack and the files that an operator edits. */
export interface OperatedStack {
  project: ComposeProject;
  /** The operator's `.env`. */
  envFile: string;
  /** compose.override.yaml; it does not exist before secrets are mounted. */
  overrideFile: string;
  /** The folder for mounted files. */
  folder: string;
}

/** The steps of docs/containers.md under "Upgrade". Containers are recreated as new images would recreate them. */
export async function upgrade({ project }: OperatedStack): Promise<void> {
  await project.run(['build', '--quiet']);
  await project.run(['run', '--rm', 'migrate']);
  await project.run(['up', '--detach', '--force-recreate']);
}

/** The steps of docs/containers.md for a second version of the master key. */
export async function addMasterKeyVersion({ project, envFile, folder }: OperatedStack): Promise<void> {
  const second = join(folder, 'second.env');
  const args = [keygen, 'keygen', '--version-number', '2', '--out', second];
  assert.equal(await runCommand(process.execPath, args), 0);
  appendFileSync(envFile, readFileSync(second));
  await project.run(['up', '--detach']);
}

/**
 * The steps of docs/containers.md for secrets as files: the variable stays in `.env`, empty, and an override names the
 * file.
 */
export async function mountSecrets(stack: OperatedStack, variables: readonly string[]): Promise<void> {
  const { project, envFile, overrideFile, folder } = stack;
  const text = readFileSync(envFile, 'utf8');
  const values = parseEnv(text);
  const secretsFolder = join(folder, 'secrets');
  mkdirSync(secretsFolder);
  const secrets = variables.map((variable) => {
    const file = join(secretsFolder, variable);
    writeFileSync(file, `${values[variable]}\n`);
    // The process reads it as uid 1000.
    chmodSync(file, 0o444);
    return { variable, file, name: variable.toLowerCase() };
  });
  writeFileSync(
    envFile,
    text.replace(/^(\w+)=.*$/gm, (line, name) => (variables.includes(name) ? `${name}=` : line)),
  );
  const override = {
    services: {
      'key-derivation': {
        environment: Object.fromEntries(
          secrets.map(({ variable, name }) => [`${variable}_FILE`, `/run/secrets/${name}`]),
        ),
        secrets: secrets.map(({ name }) => name),
      },
    },
    secrets: Object.fromEntries(secrets.map(({ name, file }) => [name, { file }])),
  };
  // JSON is YAML.
  writeFileSync(overrideFile, JSON.stringify(override));
  await project.run(['up', '--detach']);
}
