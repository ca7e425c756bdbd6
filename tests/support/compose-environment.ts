/**
 * An environment for Compose without the variables that would change the stack. These are the ones that the compose file
 * names, because for Compose its environment comes before the `.env` file, and Compose's own (`COMPOSE_FILE` and so on).
 *
 * @param composeFile its text
 */
export function withoutSettings(env: NodeJS.ProcessEnv, composeFile: string): NodeJS.ProcessEnv {
  const named = new Set([...composeFile.matchAll(/\$\{(\w+)/g)].map((match) => match[1]));
  // COMPOSE_DOCKER_CLI_BUILD sets how docker-compose 1.29 builds, not what it builds, so it stays.
  const isSetting = (variable: string) =>
    named.has(variable) || (variable.startsWith('COMPOSE_') && variable !== 'COMPOSE_DOCKER_CLI_BUILD');
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !isSetting(variable)));
}
