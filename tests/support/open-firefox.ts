import { type Browser, firefox } from 'playwright-core';

/** The parts of Playwright 1.65 that drive a browser over WebDriver BiDi. */
interface Session {
  sessionId: string;
  send(method: string, parameters: object): Promise<unknown>;
  dispatchMessage(message: { method?: string; params?: { download?: string; url?: string } }): void;
}
interface Driven {
  _browserSession: Session;
  _bidiPages: Map<string, { _page: { emulatedMedia(): Record<string, string> } }>;
}

/** Films play without a click, and Firefox sends nothing to other machines. */
const firefoxUserPrefs = {
  'media.autoplay.default': 0,
  'app.update.enabled': false,
  'dom.events.testing.asyncClipboard': true,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
};

/** Playwright evaluates with `eval`, which the policy of the dashboard refuses, and Firefox has no preference against that. */
const allowEvaluation = `() => Services.obs.addObserver((channel) => {
  channel.QueryInterface(Ci.nsIHttpChannel);
  try {
    const policy = channel.getResponseHeader('content-security-policy');
    const wider = policy.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'");
    channel.setResponseHeader('content-security-policy', wider, false);
  } catch {
    // An answer without a policy.
  }
}, 'http-on-examine-response')`;

/** A page that comes from another site gets another context, under the same identifier. */
const keepMedia = `() => {
  const { NavigableManager } = ChromeUtils.importESModule('chrome://remote/content/shared/NavigableManager.sys.mjs');
  const mediaOfPages = new Map();
  function apply(context) {
    Object.assign(context, mediaOfPages.get(NavigableManager.getIdForBrowsingContext(context)));
  }
  globalThis.setMedia = (id, prefersColorSchemeOverride, prefersReducedMotionOverride, forcedColorsOverride) => {
    mediaOfPages.set(id, { prefersColorSchemeOverride, prefersReducedMotionOverride, forcedColorsOverride });
    apply(NavigableManager.getBrowsingContextById(id));
  };
  // Its identifier is known a moment later.
  Services.obs.addObserver((context) => Services.tm.dispatchToMainThread(() => apply(context)), 'browsing-context-attached');
}`;

/** Playwright assigns the value of a field, which React takes for its own. This is what typing does. */
const insertText = `Object.defineProperty(window, '__pw_bidiInsertText', {
  get: () => (text) => void document.execCommand('insertText', false, text),
  set() {},
})`;

/**
 * A Firefox as its maker or a distribution builds it, without a window. What Playwright 1.65 and Firefox 153 lack in WebDriver BiDi, the
 * browser's own scripts do: a page's colours and motion, and the identifiers of downloads.
 *
 * @param executablePath of Firefox 153 or newer
 */
export async function openFirefox(executablePath: string): Promise<Browser> {
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath,
    firefoxUserPrefs,
    env: { ...process.env, MOZ_REMOTE_ALLOW_SYSTEM_ACCESS: '1' },
  });
  const { _connection: connection } = browser as unknown as {
    _connection: { toImpl(of: Browser): Driven };
  };
  const { _browserSession: session, _bidiPages: pages } = connection.toImpl(browser);
  const sessions = Object.getPrototypeOf(session) as Session;
  const { send, dispatchMessage } = sessions;
  const tree = (await session.send('browsingContext.getTree', { 'moz:scope': 'chrome' })) as {
    contexts: [{ context: string }];
  };
  const runInside = (functionDeclaration: string, ...values: string[]): Promise<unknown> =>
    send.call(session, 'script.callFunction', {
      functionDeclaration,
      arguments: values.map((value) => ({ type: 'string', value })),
      target: { context: tree.contexts[0].context },
      awaitPromise: false,
    });
  await runInside(allowEvaluation);
  await runInside(keepMedia);

  sessions.send = async function (this: Session, method, parameters) {
    if (method !== 'emulation.setMediaFeaturesOverride') return send.call(this, method, parameters);
    const media = pages.get(this.sessionId)?._page.emulatedMedia();
    // A page has also the media of its profile.
    if (!media) return {};
    const values = [media.colorScheme, media.reducedMotion, media.forcedColors];
    return runInside(
      '(...values) => globalThis.setMedia(...values)',
      this.sessionId,
      ...values.map((value) => (value === undefined || value === 'no-override' ? 'none' : value)),
    );
  };
  sessions.dispatchMessage = function (this: Session, message) {
    const { method, params } = message;
    if (params?.url && method?.startsWith('browsingContext.download')) params.download ??= params.url;
    dispatchMessage.call(this, message);
  };
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    await context.addInitScript(insertText);
    return context;
  };
  return browser;
}
