function c(o,t){let e=document.createElement("a");e.href=URL.createObjectURL(o),e.download=t,e.click(),window.setTimeout(()=>URL.revokeObjectURL(e.href),1e4)}export{c as a};
