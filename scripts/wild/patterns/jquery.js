// jQuery as a global, as its plugins want it; imported before them.
import jQuery from 'jquery';
window.jQuery = jQuery;
window.$ = jQuery;
