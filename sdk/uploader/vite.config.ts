import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    // What the browsers of 2023 on know; Node from 20 on knows more.
    target: 'es2022',
    lib: { entry: { index: 'src/index.ts', node: 'src/node.ts' }, formats: ['es'] },
    // In full: Vite leaves the white space of a library, for bundlers that go by its comments, and here are none.
    rolldownOptions: { external: /^node:/, output: { minify: true, chunkFileNames: '[name].js' } },
    reportCompressedSize: false,
  },
});
