import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    // For browsers since 2023. Node 20 supports more.
    target: 'es2022',
    lib: { entry: { index: 'src/index.ts', node: 'src/node.ts' }, formats: ['es'] },
    // In full: Vite keeps the white space of a library, for bundlers that read its comments. There are none here.
    rolldownOptions: { external: /^node:/, output: { minify: true, chunkFileNames: '[name].js' } },
    reportCompressedSize: false,
  },
});
