// What scripts are made of, by name: `script.rs` takes the operations and what they call, `find.rs` what
// finds elements. Lines of a part are joined without what they are indented by, since agents pay for
// every character. No part holds a backslash, a comment or a double quote: `script.rs` says why.

// ---- Operations; `q` is the data.
//# Click
var e=ready(one(q.at));
press(e,at(e),1);
//# Turn
var e=ready(one(q.at));
if(!so(e)){press(e,at(e),1)}
//# DoubleClick
var e=ready(one(q.at));
var p=at(e);
press(e,p,1);
press(e,p,2);
ev(e,'dblclick',p,0,2);
//# RightClick
var e=ready(one(q.at));
for(var k of ['pointerdown','mousedown','pointerup','mouseup','contextmenu'])
  ev(e,k,at(e),2,k[0]=='m'?1:0,k.endsWith('down')?2:0);
//# Hover
var e=one(q.at);
for(var k of ['pointerover','pointerenter','mouseover','mouseenter','pointermove','mousemove'])
  ev(e,k,at(e));
//# Drag
var e=ready(one(q.at)),
  p=at(e),
  d=q.to?one(q.to):e,
  b=d.getBoundingClientRect(),
  g=q.by?{x:p.x+q.by[0],y:p.y+q.by[1]}
    :q.toPoint?{x:b.left+q.toPoint[0],y:b.top+q.toPoint[1]}
    :{x:b.left+b.width/2,y:b.top+b.height/2},
  t=new DataTransfer(),
  drag=(n,k,c)=>n.dispatchEvent(new DragEvent(k,
    {bubbles:true,cancelable:true,composed:true,clientX:c.x,clientY:c.y,dataTransfer:t}));
ev(e,'pointerdown',p,0,0,1);
ev(e,'mousedown',p,0,1,1);
if(e.draggable&&q.to){
  drag(e,'dragstart',p);
  drag(d,'dragenter',g);
  drag(d,'dragover',g);
  drag(d,'drop',g);
  drag(e,'dragend',g)
}else{
  for(var i=1;i<9;i++)
    for(var k of ['pointermove','mousemove'])
      ev(q.to?d:e,k,{x:p.x+(g.x-p.x)*i/8,y:p.y+(g.y-p.y)*i/8},0,0,1);
  ev(d,'pointerup',g);
  ev(d,'mouseup',g,0,1)
}
//# Focus
one(q.at).focus();
//# SetText
var e=ready(one(q.at));
if(e.readOnly)throw Error('it is read-only');
e.focus();
var c=e.isContentEditable,v=q.add?(c?e.textContent:e.value)+q.text:q.text;
if(c)e.textContent=v;
else put(e,v);
tell(e);
//# SetChecked
var e=ready(one(q.at)),
  h=e.getAttribute('aria-checked'),
  c=h===null?!!e.checked:h=='true';
if(q.on===null||c!==q.on)e.click();
//# Choose
var e=ready(one(q.at)),
  o=[...e.options||[]].filter(o=>[o.label,o.text].some(l=>flat(l)==flat(q.text)));
if(o.length!=1)throw Error(o.length+' options of that label');
put(e,o[0].value);
o[0].selected=true;
tell(e);
//# Upload
var e=ready(one(q.at)),i=file(e),t=new DataTransfer();
t.items.add(new File([q.text],q.name,{type:'text/plain'}));
ready(i).files=t.files;
tell(i);
//# Submit
var e=one(q.at),f=e.tagName=='FORM'?e:e.form||e.closest('form');
if(!f)throw Error('no form');
f.requestSubmit();
//# Reset
var e=one(q.at),f=e.tagName=='FORM'?e:e.form||e.closest('form');
if(!f)throw Error('no form');
f.reset();
//# Media
var e=one(q.at);
if(q.what=='play')await e.play();
else if(q.what=='pause')e.pause();
else if(q.what=='seek')e.currentTime=q.value;
else if(q.what=='volume')e.volume=q.value;
else e.muted=!e.muted;
//# WaitFor
var u=Date.now()+q.seconds*1000;
while(!all(q.at).length){
  if(Date.now()>u)throw Error('not there in time');
  await new Promise(r=>setTimeout(r,100))
}
//# ScrollBy
(q.at?one(q.at):window).scrollBy(q.x,q.y);
//# ScrollTo
one(q.at).scrollIntoView({block:'center'});
//# Forward
history.forward();
//# Reload
location.reload();

// ---- What operations share; a script holds what its operation calls.
//# press
var press=(e,p,d)=>{
  for(var k of ['pointerdown','mousedown','pointerup','mouseup','click']){
    var r=ev(e,k,p,0,k[0]=='p'?0:d,k.endsWith('down')?1:0);
    if(k=='mousedown'&&r)e.focus?.()
  }
};
//# ev
var ev=(e,k,p,b=0,d=0,u=0)=>e.dispatchEvent(new(k[0]=='p'?PointerEvent:MouseEvent)(k,
  {bubbles:!k.endsWith('enter'),cancelable:!0,composed:!0,view:self,clientX:p.x,clientY:p.y,
  button:b,buttons:u,detail:d,pointerId:1,pointerType:'mouse',isPrimary:!0}));
//# at
var at=e=>{
  var b=e.getBoundingClientRect();
  return{x:b.left+b.width/2,y:b.top+b.height/2}
};
// In its place, where a point on the node or on the page is said.
//# at a point
var at=e=>{
  var b=e.getBoundingClientRect();
  return q.point?{x:b.left+q.point[0],y:b.top+q.point[1]}
    :{x:q.page[0]-scrollX,y:q.page[1]-scrollY}
};
// What a person could act on: a script's events reach what is disabled, inert, or behind a modal dialog
// as well.
//# ready
var ready=e=>{
  var n=e.closest(':disabled:not(fieldset),[inert],:modal'),h=e.getRootNode().host;
  if(n?!n.matches(':modal'):!h&&e.ownerDocument.querySelector(':modal'))throw Error('out of reach');
  n||h&&ready(h);
  e.scrollIntoViewIfNeeded();
  return e
};
//# so
var so=e=>['expanded','pressed'].some(k=>k in q
  &&(e.getAttribute('aria-'+k)??String(e.closest('summary')?.parentNode.open))==String(q[k]));
// A button that a page shows in place of its file input stands beside it.
//# file
var file=e=>{
  for(var n=e.control||e,k=0;n&&k<4;n=n.parentElement,k++){
    var i=n.matches('input[type=file]')?n:n.querySelector('input[type=file]');
    if(i)return i
  }
  throw Error('no file input')
};
// Past a framework's own property of the element.
//# put
var put=(e,v)=>{
  var d=Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e),'value');
  if(d&&d.set)d.set.call(e,v);
  else e.value=v
};
//# tell
var tell=e=>{
  e.dispatchEvent(new InputEvent('input',{bubbles:true,composed:true}));
  e.dispatchEvent(new Event('change',{bubbles:true}))
};

// ---- What finds elements.
// Blanks as one, as far as JavaScript counts them.
//# flat
var ch=String.fromCharCode,
  flat=t=>String(t??'')
    .replace(RegExp('['+ch(8203,45,8207,8234,45,8238,8288,45,8297,65279)+']','g'),'')
    .replace(RegExp(ch(92)+'s+','g'),' ').trim();
// The document, open shadow trees and frames of the same origin.
//# roots
var roots=()=>{
  var o=[document],d;
  for(var r of o)
    for(var n of r.querySelectorAll('*'))
      if((d=n.shadowRoot||n.contentDocument)&&o.length<200)o.push(d);
  return o
};
//# name
var name=e=>{
  var a=k=>flat(e.getAttribute(k)),r=e.getRootNode(),t=e.tagName;
  return flat(a('aria-labelledby').split(' ').map(i=>i&&r.getElementById?.(i)?.textContent||'').join(' '))
    ||a('aria-label')
// A label without the field in it; a group by its legend; a button of a form by its value.
//# by labels
    ||flat([...e.labels||[]]
      .map(l=>[...l.childNodes].map(n=>n.contains(e)?'':n.textContent).join(' ')).join(' '))
    ||(t=='FIELDSET'?flat(e.querySelector('legend')?.textContent):'')
    ||(t=='INPUT'&&['submit','button','reset'].includes(e.type)?flat(e.value):'')
    ||(['INPUT','SELECT','TEXTAREA'].includes(t)?a('alt'):a('alt')||flat(e.innerText||e.textContent))
    ||a('title')
    ||a('placeholder')
};
//# by content
    ||a('alt')||flat(e.innerText||e.textContent)||a('title')
};
//# inside
var inside=(a,e)=>{
  for(var n=e;n;n=n.parentNode||n.host||n.defaultView?.frameElement)
    if(n===a&&n!==e)return true
};
//# one
var one=t=>{
  var m=all(t);
  if(m.length!=1)throw Error(m.length+' elements instead of one');
  return m[0]
};
//# focused
var focused=()=>{
  var f=document.activeElement;
  while(f?.shadowRoot?.activeElement)f=f.shadowRoot.activeElement;
  return f?[f]:[]
};
//# selector
var byPath=t=>[...document.querySelectorAll(t.path[0])];
//# path
var byPath=t=>{
  var r=document,m,i=0;
  for(var s of t.path){
    if(i++){
      r=m[0].shadowRoot||m[0].contentDocument;
      if(!r)throw Error('closed to scripts')
    }
    m=[...r.querySelectorAll(s)];
    if(m.length!=1)return i<t.path.length?[]:m
  }
  return m
};
