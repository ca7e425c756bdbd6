import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/**
 * Makes VitePress read a document as viewers of Markdown do. By itself it compiles a page as a template of Vue: it would evaluate
 * `{{ x }}`, drop `<id>`, replace `:key:` by a picture, and look for the files that links name among the pages.
 */
export function readAsMarkdown(md: MarkdownRenderer): void {
  md.disable('emoji');
  md.renderer.rules.html_block = (tokens, index) => showTags(tokens[index]?.content ?? '');
  md.renderer.rules.html_inline = md.renderer.rules.html_block;
  // Last: the links of headings are then made.
  md.core.ruler.push('links', ({ tokens, env, Token }) => {
    const textOf = (content: string) => Object.assign(new Token('text', '', 0), { content });
    for (const token of tokens) {
      let source = '';
      token.children = (token.children ?? []).flatMap((child) => {
        if (child.type === 'link_open') {
          const href = `${child.attrGet('href')}`;
          source = sourceOf(href, env.relativePath);
          child.attrSet('href', href.replace(/README\.md(?=#|$)/, 'index.md'));
        }
        if (source === '' || !child.type.startsWith('link_')) return [child];
        if (child.type === 'link_open') return [];
        const name = Object.assign(new Token('code_inline', 'code', 0), { content: source });
        source = '';
        return [textOf(' ('), name, textOf(')')];
      });
    }
  });
  const render = md.render.bind(md);
  md.render = (text, env) => `<div v-pre>${render(text, env)}</div>`;
}

/** The path of a file of the repository that a link names and that is not a page; empty for other links. The text keeps it in place of a link. */
function sourceOf(href: string, page: string): string {
  const [path = ''] = href.split('#');
  if (path === '' || path.endsWith('.md') || /^[a-z][a-z0-9+.-]*:/i.test(path)) return '';
  return posix.join(posix.dirname(page), path);
}

/** Comments and pictures are HTML. Each other tag is text, such as `<id>` in a sentence. */
function showTags(html: string): string {
  if (html.startsWith('<!--')) return html;
  if (html.startsWith('<img ')) return html.replace(/ src="(?![./]|https?:)/, ' src="./');
  return html.replaceAll('<', '&lt;');
}
