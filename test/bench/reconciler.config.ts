import { defineConfig } from '../../index.ts';
import { site } from './site.ts';

export default defineConfig({ kinds: [site] });
