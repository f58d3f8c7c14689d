import config from '../reconciler.config.ts';
import { serve } from './serve.ts';

/** A process that can serve either function of this repository's own kinds. */
serve(config);
