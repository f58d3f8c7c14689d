import config from '../reconciler.config.ts';
import { serve } from './serve.ts';

/** Serves either function for this repository's own kinds. */
serve(config);
