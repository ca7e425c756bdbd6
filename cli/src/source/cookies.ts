import type { CookieJar } from 'tough-cookie';

/** Servers set one or two. A browser keeps 50 for each site (RFC 6265 section 6.1). */
const mostCookies = 50;
/** RFC 6265 section 6.1. */
const mostCookieBytes = 4_096;

export type Cookies = ReturnType<typeof createCookies>;

/** Cookies that a source has set. They are kept in memory, for as long as the command runs. */
export function createCookies() {
  let jar: CookieJar | undefined;
  return {
    /** The value of `Cookie` for a request; empty for no cookie. */
    of: async (url: string) => (await jar?.getCookieString(url)) ?? '',
    /** Keeps the cookies of an answer. One that the rules of RFC 6265 refuse is ignored. */
    async keep(answer: Response, url: string) {
      const lines = answer.headers.getSetCookie().filter(({ length }) => length <= mostCookieBytes);
      if (lines.length === 0) return;
      // Most sources set none, and the list of public suffixes takes some time to load.
      const { CookieJar: Jar } = await import('tough-cookie');
      jar ??= new Jar();
      for (const line of lines.slice(0, mostCookies)) await jar.setCookie(line, url, { ignoreError: true });
      await dropOldest(jar);
    },
  };
}

async function dropOldest({ store }: CookieJar): Promise<void> {
  const kept = await store.getAllCookies();
  for (const { domain, path, key } of kept.slice(0, -mostCookies))
    await store.removeCookie(domain, path, key);
}
