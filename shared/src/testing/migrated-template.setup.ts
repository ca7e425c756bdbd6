import { makePostgresTemplate } from './own-postgres.ts';

/** Runs once before all tests. The processes that run them inherit the variable. */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url) return;
  const template = await makePostgresTemplate(url);
  process.env.TEST_POSTGRES_TEMPLATE = template.name;
  return template.close;
}
