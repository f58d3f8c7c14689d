import { defineConfig } from '../../index.ts';
import { site } from './site.ts';

// biome-ignore lint/style/noDefaultExport: as every configuration
export default defineConfig({ kinds: [site] });
